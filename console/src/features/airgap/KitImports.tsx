import { type KitImportRowFragment, type KitImportState, KitImportsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, listText } from '../../lib/i18n.ts';
import { useNow } from '../../lib/now.ts';
import type { ListView } from '../../lib/url-state.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { DetailSection, DetailToggle } from '../../ui/DetailToggle.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { Duration, Time } from '../../ui/Time.tsx';
import { KitChanges } from './KitChanges.tsx';
import { KitGate } from './KitGate.tsx';
import { t } from './labels.ts';
import { nextStep } from './next-step.ts';

const LOOKS: Looks<KitImportState> = {
  QUEUED: 'running',
  WAITING: 'held-attention',
  SWITCHED: 'running',
  COMPLETE: 'verified',
  FAILED: 'failed',
};

const OPEN: readonly KitImportState[] = ['QUEUED', 'SWITCHED'];

type KitImportsProps = {
  readonly open: string | undefined;
  readonly toggle: (id: string) => void;
  readonly list: ListView;
};

/** Imports of kits, the newest first, dry runs among them. */
export function KitImports({ open, toggle, list }: KitImportsProps) {
  const answer = useLiveQuery(KitImportsDocument, { after: list.view.after ?? null }, ['KitImport']);
  const rows = answer.data?.kitImports.edges ?? [];
  useOpenRefetch(
    rows.some(({ node }) => OPEN.includes(node.state)),
    answer.refetch,
  );
  return (
    <ListSection
      title={t('kitImports.title')}
      bare
      of={answer}
      rows={({ kitImports }) => kitImports}
      list={list}
      skeleton={4}
      fault={t('kitImports.fault')}
      empty={t('kitImports.empty')}
      columns={columns(open, toggle)}
      open={toggle}
      detail={{ id: open, show: (row) => <ImportDetail of={row} /> }}
      labelled
    />
  );
}

const columns = (open: string | undefined, toggle: (id: string) => void): Column<KitImportRowFragment>[] => [
  {
    name: t('kitInbox.kit'),
    className: 'breaks',
    cell: ({ id, channel, sequence }) => (
      <DetailToggle id={id} isOpen={open === id} toggle={() => toggle(id)}>
        {`${channel} ${sequence}`}
      </DetailToggle>
    ),
  },
  { name: t('kitImport.run'), cell: ({ isDryRun }) => t(isDryRun ? 'kitInbox.dryRun' : 'kitInbox.import') },
  { name: t('kitImport.state'), className: 'breaks', cell: (row) => <State of={row} /> },
  { name: t('kitImport.asked'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: t('kitImport.took'),
    cell: ({ createdAt, finishedAt }) =>
      optional(finishedAt, t('kitImport.open'), (at) => <Duration from={createdAt} until={at} />),
  },
];

function State({ of: row }: { readonly of: KitImportRowFragment }) {
  const { state, done, total, missingParts, failureCode, leaseUntil } = row;
  const now = useNow();
  return (
    <span>
      <StateLabel look={LOOKS[state]}>{t(`kitImport.state.${state}`)}</StateLabel>{' '}
      {OPEN.includes(state) && total > 0 && (
        <span className="soft">{t('kitImport.progress', { done: count(done), total: count(total) })}</span>
      )}
      {OPEN.includes(state) && leaseUntil !== null && new Date(leaseUntil) > now && (
        <span className="soft">
          {t('kitImport.lease')} <Time at={leaseUntil} as="full" />
        </span>
      )}
      {state === 'WAITING' && <span className="soft">{t('kitImport.missing.n', { n: missingParts.length })}</span>}
      {failureCode !== null && <span className="code small">{failureCode}</span>}
    </span>
  );
}

function ImportDetail({ of: row }: { readonly of: KitImportRowFragment }) {
  const { id, channel, sequence, kitDigest, changes, isDryRun, state, missingParts, failureCode, failureMessage } = row;
  const next = nextStep(failureCode);
  return (
    <DetailSection id={id} label={t('kitImport.detail', { channel, sequence })}>
      <Digest value={kitDigest} />
      {failureMessage !== null && (
        <div>
          <StateLabel look="failed" wrap>
            {failureMessage}
          </StateLabel>
          {next !== '' && <p>{next}</p>}
        </div>
      )}
      {state === 'WAITING' && (
        <p>{t('kitImport.missing', { parts: listText(missingParts.map(String)), n: missingParts.length })}</p>
      )}
      {changes !== null ? (
        <>
          {changes.gate !== null && <KitGate of={changes.gate} />}
          <KitChanges
            of={changes}
            causes={changes.gate?.changes.flatMap(({ causes }) => causes.map(({ vulnId }) => vulnId))}
            isDone={!isDryRun && state !== 'FAILED'}
          />
        </>
      ) : (
        failureMessage === null && <p className="soft">{t('kitImport.changes.none')}</p>
      )}
    </DetailSection>
  );
}
