import type { AnalysisFragment } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CheckIcon } from '../../ui/EntityStates.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Sparkline } from '../../ui/Sparkline.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Deployment.module.css';
import { t } from './labels.ts';

type Measurement = AnalysisFragment['measurements'][number];

/** What the metrics said at a gate, or at every one: a line over time, and the same as a table. Silence is no pass. */
export function Analysis({
  deployment: { environment, measurements },
  phaseIndex,
}: {
  readonly deployment: AnalysisFragment;
  /** Only what was measured after this phase. */
  readonly phaseIndex?: number;
}) {
  const { analysis } = environment;
  const shown = measurements.filter((one) => phaseIndex === undefined || one.phaseIndex === phaseIndex);
  if (analysis === null && shown.length === 0) return null;
  return (
    <div className={styles.analysis}>
      <p>
        {shown.length === 0 ? t('analysis.none') : tally(shown)}
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
      {shown.length > 0 && <Sparkline points={shown} min={analysis?.min ?? null} max={analysis?.max ?? null} />}
      <details>
        <summary>{t('analysis.table')}</summary>
        {shown.length === 0 ? <EmptyState>{t('analysis.none')}</EmptyState> : <Measurements measurements={shown} />}
        {analysis !== null && <CodeBlock label={t('analysis.query')} text={analysis.query} wrap />}
      </details>
    </div>
  );
}

/** How many passed, failed, and were not answered: the last are never counted with the first. */
function tally(measurements: readonly Measurement[]): string {
  const of = (verdict: Measurement['verdict']) => measurements.filter((one) => one.verdict === verdict).length;
  return t('analysis.tally', { passed: of('PASS'), failed: of('FAIL'), unknown: of('UNKNOWN') });
}

function Measurements({ measurements }: { readonly measurements: readonly Measurement[] }) {
  return (
    <Table
      label={t('analysis.title')}
      list
      head={[
        { name: t('analysis.at') },
        { name: t('analysis.value'), number: true },
        { name: t('analysis.verdict') },
        { name: t('analysis.detail') },
      ]}
    >
      {measurements.toReversed().map(({ at, value, verdict, detail, phaseIndex }) => (
        <tr key={`${phaseIndex} ${at}`}>
          <th scope="row">
            <Time at={at} as="clock" />
          </th>
          <td className="num">{value === null ? t('analysis.silent') : count(value)}</td>
          <td>
            <span className="row">
              <CheckIcon status={verdict} />
              {t(`check.${verdict}`)}
            </span>
          </td>
          <td className="soft breaks">{detail}</td>
        </tr>
      ))}
    </Table>
  );
}
