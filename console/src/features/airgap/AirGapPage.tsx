import { getRouteApi } from '@tanstack/react-router';
import { type AirGapFactsFragment, AirGapStateDocument, type AirGapStateQuery } from '../../generated/operations.ts';
import { mayReadAirGap, maySeal } from '../../lib/airgap-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import { Banner } from '../../ui/Banner.tsx';
import type { PageAction } from '../../ui/PageHead.tsx';
import { QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { AirGapFigures } from './AirGapFigures.tsx';
import { AirGapLayout } from './AirGapLayout.tsx';
import { AnchorForm } from './AnchorForm.tsx';
import { Destinations } from './Destinations.tsx';
import { Integrity } from './Integrity.tsx';
import { labelOr, t } from './labels.ts';
import { PolicyForm } from './PolicyForm.tsx';
import { PolicySection } from './PolicySection.tsx';
import { SealDialog } from './SealDialog.tsx';
import { TimeSection } from './TimeSection.tsx';
import { UnsealDialog } from './UnsealDialog.tsx';

const route = getRouteApi('/airgap');

/** Pause after which ages are read again, in milliseconds: the trusted clock is the server's. */
const AGES_MS = 30_000;

/** Page of the air gap: whether the environment is sealed, by which policy, where its traffic goes, and its trusted time. */
export function AirGapPage() {
  const answer = useLiveQuery(AirGapStateDocument, mayReadAirGap() ? {} : undefined, ['AirGap']);
  useOpenRefetch(mayReadAirGap(), answer.refetch, AGES_MS);
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const mode = answer.data?.airgap.mode;
  const open = (ask: NonNullable<typeof view.ask>) => () => set({ ask });
  return (
    <AirGapLayout
      tab="seal"
      state={mode && <StateLabel look={mode === 'SEALED' ? 'sealed' : 'queued'}>{t(`airgap.mode.${mode}`)}</StateLabel>}
      lead={mode === undefined ? t('airgap.lead') : t(`airgap.mode.${mode}.lead`)}
      actions={mode !== undefined && maySeal() ? actionsOf(mode, open) : []}
    >
      <QueryResult of={answer} skeleton={<SkeletonPage rows={6} />} fault={t('airgap.fault')}>
        {(data) => <AirGapState state={data} />}
      </QueryResult>
    </AirGapLayout>
  );
}

type Ask = 'seal' | 'unseal' | 'policy' | 'anchor';

const actionsOf = (mode: AirGapFactsFragment['mode'], open: (ask: Ask) => () => void): PageAction[] => [
  mode === 'SEALED'
    ? { id: 'airgap.unseal', title: t('airgap.unseal'), run: open('unseal') }
    : { id: 'airgap.seal', keys: 's', title: t('airgap.seal'), weight: 'primary', run: open('seal') },
  { id: 'airgap.policy', keys: 'e', title: t('egressPolicy.edit'), run: open('policy') },
  { id: 'airgap.anchor', title: t('anchor.set'), run: open('anchor') },
];

function AirGapState({ state: { airgap, timeStatus } }: { readonly state: AirGapStateQuery }) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const close = () => set({ ask: undefined });
  const { ask } = view;
  return (
    <>
      {airgap.blockedReason !== null && (
        <Banner tone="bad" title={t('airgap.blocked')}>
          <span>{labelOr(`airgap.blocked.${airgap.blockedReason}`, airgap.blockedReason)}</span>
          <span>{t('airgap.blocked.next')}</span>
        </Banner>
      )}
      <AirGapFigures airgap={airgap} time={timeStatus} />
      <PolicySection airgap={airgap} />
      <Destinations only={view.only} choose={(only) => set({ only })} />
      <TimeSection time={timeStatus} />
      <Integrity />
      {maySeal() && (
        <>
          {ask === 'seal' && airgap.mode === 'UNSEALED' && (
            <SealDialog airgap={airgap} time={timeStatus} close={close} />
          )}
          {ask === 'unseal' && airgap.mode === 'SEALED' && <UnsealDialog airgap={airgap} close={close} />}
          {ask === 'policy' && <PolicyForm airgap={airgap} close={close} />}
          {ask === 'anchor' && <AnchorForm time={timeStatus} tenant={airgap.id} close={close} />}
        </>
      )}
    </>
  );
}
