import { getRouteApi } from '@tanstack/react-router';
import { mayReadAirGap, maySeal } from '../../lib/airgap-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ActiveKits } from './ActiveKits.tsx';
import { AirGapLayout } from './AirGapLayout.tsx';
import { KitImports } from './KitImports.tsx';
import { KitInbox } from './KitInbox.tsx';
import { t } from './labels.ts';
import { Mirrors } from './Mirrors.tsx';

const route = getRouteApi('/airgap/kits');

/** Page of what is carried to a site without a network: kits in force, those that wait, their imports, and mirrors. */
export function KitsPage() {
  const { view, filterBy, set } = usePageView(route.useSearch(), route.useNavigate());
  const requestMirror = () => set({ ask: 'mirror' });
  return (
    <AirGapLayout
      tab="kits"
      lead={t('kits.lead')}
      actions={maySeal() ? [{ id: 'mirror.import', keys: 'm', title: t('mirror.import'), run: requestMirror }] : []}
    >
      {mayReadAirGap() && (
        <>
          <ActiveKits open={view.kit} toggle={(kit) => set({ kit: kit === view.kit ? undefined : kit })} />
          <KitInbox />
          <KitImports
            open={view.import}
            toggle={(id) => set({ import: id === view.import ? undefined : id })}
            list={{ view, filterBy, clear: undefined }}
          />
          <Mirrors isAsked={view.ask === 'mirror'} request={requestMirror} close={() => set({ ask: undefined })} />
        </>
      )}
    </AirGapLayout>
  );
}
