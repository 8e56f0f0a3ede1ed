import { getRouteApi } from '@tanstack/react-router';
import { Chip } from '../../ui/Button.tsx';
import { Families } from './Families.tsx';
import { Frame } from './Frame.tsx';
import { SignIns } from './SignIns.tsx';
import { t } from './words.ts';

const route = getRouteApi('/access/sessions');

/** Who is in now, and what acts for them. */
export function SessionsPage() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: typeof view) =>
    void navigate({ search: { ...view, ...next }, replace: true, resetScroll: false });
  return (
    <Frame tab="sessions">
      <SignIns after={view.after} go={(after) => change({ after })} />
      <Families
        live={view.ended !== true}
        after={view.apps}
        go={(apps) => change({ apps })}
        side={
          <Chip
            pressed={view.ended === true}
            onPress={() => change({ apps: undefined, ended: view.ended === true ? undefined : true })}
          >
            {t('families.ended')}
          </Chip>
        }
      />
    </Frame>
  );
}
