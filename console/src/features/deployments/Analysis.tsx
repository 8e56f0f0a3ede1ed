import type { AnalysisFragment } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { CheckIcon } from '../../ui/EntityStates.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Sparkline } from '../../ui/Sparkline.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Deployment.module.css';
import { t } from './labels.ts';

type Measurement = AnalysisFragment['measurements'][number];

type AnalysisProps = {
  readonly deployment: AnalysisFragment;
  readonly phaseIndex?: number;
};

/** Measurements at one gate, or at all of them: a line over time, and a table. A missing answer is no pass. */
export function Analysis({ deployment: { environment, measurements }, phaseIndex }: AnalysisProps) {
  const { analysis } = environment;
  const visible = measurements.filter((one) => phaseIndex === undefined || one.phaseIndex === phaseIndex);
  if (analysis === null && visible.length === 0) return null;
  return (
    <div className={styles.analysis}>
      <p>
        {visible.length === 0 ? t('analysis.none') : tally(visible)}
        {analysis !== null && (
          <span className="quiet">
            {' '}
            {t('analysis.rule', {
              name: analysis.integration.name,
              passes: analysis.passes,
              failures: analysis.failures,
            })}
          </span>
        )}
      </p>
      {visible.length > 0 && <Sparkline points={visible} min={analysis?.min ?? null} max={analysis?.max ?? null} />}
      <details>
        <summary>{t('analysis.table')}</summary>
        {visible.length === 0 ? <EmptyState>{t('analysis.none')}</EmptyState> : <Measurements measurements={visible} />}
        {analysis !== null && <CodeBlock label={t('analysis.query')} text={analysis.query} wrap />}
      </details>
    </div>
  );
}

function tally(measurements: readonly Measurement[]): string {
  const of = (verdict: Measurement['verdict']) => measurements.filter((one) => one.verdict === verdict).length;
  return t('analysis.tally', { passed: of('PASS'), failed: of('FAIL'), unknown: of('UNKNOWN') });
}

const Measurements = ({ measurements }: { readonly measurements: readonly Measurement[] }) => (
  <DataTable
    label={t('analysis.title')}
    rows={measurements.toReversed()}
    rowId={({ phaseIndex, at }) => `${phaseIndex} ${at}`}
    columns={[
      { name: t('analysis.at'), cell: ({ at }) => <Time at={at} as="clock" /> },
      {
        name: t('analysis.value'),
        number: true,
        cell: ({ value }) => (value === null ? t('analysis.noAnswer') : count(value)),
      },
      {
        name: t('analysis.verdict'),
        cell: ({ verdict }) => (
          <span className="row">
            <CheckIcon status={verdict} />
            {t(`check.${verdict}`)}
          </span>
        ),
      },
      { name: t('analysis.detail'), className: 'soft breaks', cell: ({ detail }) => detail },
    ]}
  />
);
