import { type CallGraphFragment, ComputeReachabilityDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { RowButton } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Analysis } from './Analysis.tsx';
import { t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';
import styles from './Scans.module.css';

/** Call graphs of a scan with their size, and the computation of what they say about the findings. */
export function CallGraphs({ scan: { id, status, callGraphs } }: { readonly scan: Scan }) {
  const action = useAction(ComputeReachabilityDocument);
  const isComplete = status === 'COMPLETED';
  const compute = async (language: string) => {
    if (await action.run({ scanId: id, language })) toast(t('compute.done', { language }));
  };
  return (
    <Section title={t('graphs.title')} count={count(callGraphs.length)}>
      {callGraphs.length === 0 ? (
        <>
          <EmptyState>{t('graphs.none')}</EmptyState>
          <CodeBlock label={t('graphs.import')} text={t('graphs.command', { origin: location.origin, id })} />
        </>
      ) : (
        <DataTable
          label={t('graphs.title')}
          rows={callGraphs}
          rowId={({ language }) => language}
          columns={[
            ...columns(),
            ...(isComplete && mayWriteScans()
              ? [
                  actionsColumn<CallGraphFragment>(({ language, reachabilityJob }) => (
                    <RowButton
                      label={t('compute.label', { language })}
                      busy={action.busy || isOpen(reachabilityJob)}
                      press={() => void compute(language)}
                    >
                      {t(reachabilityJob === null ? 'compute.verb' : 'compute.again')}
                    </RowButton>
                  )),
                ]
              : []),
          ]}
          labelled
        />
      )}
      <ActionError problem={action.problem} />
    </Section>
  );
}

const isOpen = (job: CallGraphFragment['reachabilityJob']): boolean =>
  job?.status === 'QUEUED' || job?.status === 'RUNNING';

const columns = (): Column<CallGraphFragment>[] => [
  { name: t('graph.language'), cell: ({ language }) => language },
  {
    name: t('graph.size'),
    cell: ({ symbolCount, edgeCount }) => t('graph.size.of', { symbols: symbolCount, calls: edgeCount }),
  },
  {
    name: t('graph.ends'),
    cell: ({ entryCount, sinkCount }) => t('graph.ends.of', { entries: entryCount, sinks: sinkCount }),
  },
  { name: t('graph.analysis'), className: 'breaks', cell: ({ coverage }) => <Analysis coverage={coverage} /> },
  { name: t('graph.imported'), cell: ({ importedAt }) => <Time at={importedAt} /> },
  { name: t('graph.findings'), className: 'breaks', cell: (graph) => <Statements graph={graph} /> },
];

/** Number of findings by the graph's statement, or the state of the computation. */
function Statements({ graph: { reachabilityJob: job, findings } }: { readonly graph: CallGraphFragment }) {
  return (
    <div className={styles.result}>
      {job?.status === 'FAILED' && (
        <StateLabel look="failed" wrap>
          {job.error ?? t('compute.failed')}
        </StateLabel>
      )}
      {isOpen(job) && <StateLabel look="running">{t('compute.running')}</StateLabel>}
      {findings !== null && (
        <span>
          {t('graph.findings.of', {
            reachable: findings.reachable,
            potentially: findings.potentiallyReachable,
            unknown: findings.unknown,
            unreachable: findings.unreachable,
          })}
        </span>
      )}
      {job === null && findings === null && <span className="quiet">{t('compute.never')}</span>}
      {job?.status === 'COMPLETED' && findings === null && <span className="quiet">{t('compute.nothing')}</span>}
    </div>
  );
}
