import { getRouteApi } from '@tanstack/react-router';
import { usePageView } from '../../lib/url-state.ts';
import { Chip } from '../../ui/Button.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { t } from './labels.ts';
import { Sessions } from './Sessions.tsx';
import { TokenFamilies } from './TokenFamilies.tsx';

const route = getRouteApi('/access/sessions');

export function SessionsPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  return (
    <AccessLayout tab="sessions">
      <Sessions list={{ view, filterBy: ({ after }) => set({ after }), clear: undefined }} />
      <TokenFamilies
        live={view.ended !== true}
        list={{ view: { after: view.apps }, filterBy: ({ after }) => set({ apps: after }), clear: undefined }}
        side={
          <Chip
            pressed={view.ended === true}
            onPress={() => set({ apps: undefined, ended: view.ended === true ? undefined : true })}
          >
            {t('families.ended')}
          </Chip>
        }
      />
    </AccessLayout>
  );
}
