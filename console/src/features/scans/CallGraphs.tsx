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
                  actionsColumn<CallGraphFragment>((graph) => (
                    <RowButton
                      label={t('compute.label', { language: graph.language })}
                      busy={action.busy || isOpen(graph.reachabilityJob)}
                      press={() => void compute(graph.language)}
                    >
                      {t(isComputed(graph) ? 'compute.again' : 'compute.verb')}
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

/** Whether the newest computation was of this graph: another import replaces the graph and what it stated. */
const isComputed = ({ reachabilityJob, importedAt }: CallGraphFragment): boolean =>
  reachabilityJob?.status === 'COMPLETED' && (reachabilityJob.finishedAt ?? '') > importedAt;

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
function Statements({ graph }: { readonly graph: CallGraphFragment }) {
  const { reachabilityJob: job, findings } = graph;
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
      {findings === null && !isOpen(job) && job?.status !== 'FAILED' && (
        <span className="quiet">{t(isComputed(graph) ? 'compute.nothing' : 'compute.never')}</span>
      )}
    </div>
  );
}
