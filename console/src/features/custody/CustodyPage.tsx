import { getRouteApi } from '@tanstack/react-router';
import { CustodyChainDocument, type CustodyChainQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { custodyLink } from '../../lib/custody-links.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ReleaseArtifacts } from '../../parts/ArtifactsOf.tsx';
import { EvidenceBundles } from '../../parts/EvidenceBundles.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { AuditorPackage } from './AuditorPackage.tsx';
import { CameByKit } from './CameByKit.tsx';
import styles from './Custody.module.css';
import { CustodyChain } from './CustodyChain.tsx';
import { firstToOpen, linksByState, statementToOpen } from './custody-chain.ts';
import { CUSTODY_TYPES } from './custody-types.ts';
import { LinkDetail } from './LinkDetail.tsx';
import { t } from './labels.ts';
import { capitalized } from './statement-text.ts';
import { TransparencyLog } from './TransparencyLog.tsx';
import { useVerification } from './use-verification.ts';
import { ProveButton } from './Verification.tsx';

const route = getRouteApi('/custody/$releaseId');

type Release = NonNullable<CustodyChainQuery['release']>;
type Steps = NonNullable<CustodyChainQuery['custody']>['steps'];

/** Page of a release's chain of custody: six links, their evidence, and their verification. */
export function CustodyPage() {
  const { releaseId } = route.useParams();
  const chain = useLiveQuery(CustodyChainDocument, { id: releaseId }, CUSTODY_TYPES);
  return (
    <EntityPage of={chain} entity={bothOf} fault={t('chain.fault')} gone={t('release.notFound')}>
      {({ release, steps }) => <Page release={release} steps={steps} />}
    </EntityPage>
  );
}

const bothOf = ({ release, custody }: CustodyChainQuery) => release && custody && { release, steps: custody.steps };

function Page({ release, steps }: { readonly release: Release; readonly steps: Steps }) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { link, statement } = view;
  const open = steps.find(({ step }) => custodyLink(step) === link) ?? firstToOpen(steps);
  const go = (by: 1 | -1) => () => {
    const next = steps[steps.findIndex(({ step }) => step === open?.step) + by];
    if (next !== undefined) set({ link: custodyLink(next.step), statement: undefined });
  };
  useCommands([
    { id: 'link.next', group: 'move', keys: ']', title: t('chain.next'), run: go(1) },
    { id: 'link.previous', group: 'move', keys: '[', title: t('chain.previous'), run: go(-1) },
  ]);
  const proving = useVerification(release.id);
  const name = `${release.name} ${release.semver}`;
  if (open === undefined) return null;
  const visible = statementToOpen(open.statements, statement);
  const choose = (next: string | undefined) => set({ link: custodyLink(open.step), statement: next });
  return (
    <>
      <PageHead
        crumbs={[
          { path: '/custody', label: t('custodyList.title') },
          { path: `/products/${release.product.id}`, label: release.name },
          { path: `/releases/${release.id}`, label: name },
        ]}
        title={t('chain.title')}
        tab={t('chain.tab', { what: name })}
        verbs={
          <ProveButton
            step={open}
            open={visible?.statement.attestation?.ref}
            proving={proving}
            stay={() => choose(statement ?? visible?.name)}
          />
        }
      >
        {lead(steps)}
      </PageHead>
      <CustodyChain releaseId={release.id} steps={steps} open={open.step} proving={proving} />
      <div className={styles.two}>
        <LinkDetail
          key={open.step}
          release={release}
          step={open}
          chosen={statement}
          proving={proving}
          choose={choose}
        />
        <div>
          <AuditorPackage release={release} />
          <TransparencyLog />
        </div>
      </div>
      <CameByKit releaseId={release.id} of={release} />
      <ReleaseArtifacts id={release.id} />
      <EvidenceBundles kind="RELEASE" id={release.id} />
    </>
  );
}

function lead(steps: Steps): string {
  const { PROVEN, SIGNED, MISSING } = linksByState(steps);
  if (PROVEN.length === steps.length) return t('chain.lead.proven');
  if (MISSING.length === steps.length) return t('chain.lead.missing');
  const announced = (key: 'chain.lead.PROVEN' | 'chain.lead.SIGNED' | 'chain.lead.MISSING', some: Steps) =>
    some.length === 0 ? '' : capitalized(t(key, { names: names(some), n: some.length }));
  return [
    announced('chain.lead.PROVEN', PROVEN),
    announced('chain.lead.SIGNED', SIGNED),
    announced('chain.lead.MISSING', MISSING),
  ]
    .filter(Boolean)
    .join(' ');
}

const names = (steps: Steps): string => listText(steps.map(({ step }) => t(`link.${step}`)));
