import { getRouteApi } from '@tanstack/react-router';
import { Chip } from '../../ui/Button.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { t } from './labels.ts';
import { Sessions } from './Sessions.tsx';
import { TokenFamilies } from './TokenFamilies.tsx';

const route = getRouteApi('/access/sessions');

/** Sessions of people, and the token families that act for them. */
export function SessionsPage() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: typeof view) =>
    void navigate({ search: { ...view, ...next }, replace: true, resetScroll: false });
  return (
    <AccessLayout tab="sessions">
      <Sessions after={view.after} go={(after) => change({ after })} />
      <TokenFamilies
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
    </AccessLayout>
  );
}
