import { Fragment } from 'react';
import type { PhaseStripFragment } from '../../generated/operations.ts';
import { targetCountText } from '../../lib/target-count-text.ts';
import { meterSegments } from '../../lib/target-counts.ts';
import { Phase, PhaseGate, Phases } from '../../ui/Phases.tsx';
import type { Looks } from '../../ui/StateLabel.tsx';
import styles from './Deployment.module.css';
import { labelOr, t } from './labels.ts';
import { currentPhase, isPassedWithoutVerdict, phaseCounts } from './phase-counts.ts';

type Planned = PhaseStripFragment['phases'][number];

export const phaseTitle = ({ index, kind }: Pick<Planned, 'index' | 'kind'>): string =>
  t('phase.title', { n: index + 1, kind: labelOr(`phase.${kind}`, kind) });

/** Strip of the phases with the gates between them. Screen readers announce phase changes only. */
export function PhaseStrip({ deployment }: { readonly deployment: PhaseStripFragment }) {
  const { phases } = deployment;
  const isMany = phases.length > MANY;
  return (
    <section className={styles.phases} aria-label={t('phases.title')}>
      <p className="sr" role="status">
        {announcement(phases)}
      </p>
      <Phases many={isMany}>
        {phases.map((phase) => {
          const tally = phaseCounts(phase, deployment);
          return (
            <Fragment key={phase.index}>
              <Phase
                title={phaseTitle(phase)}
                size={phase.targetCount}
                tally={meterSegments(tally)}
                words={
                  isPassedWithoutVerdict(phase, deployment)
                    ? t('phase.done', { n: tally.total })
                    : targetCountText(tally)
                }
                note={noteOf(phase)}
                current={phase.status === 'RUNNING' || phase.status === 'HELD'}
              />
              {phase.gate !== null && phase.gate !== 'NONE' && <Gate phase={phase} gate={phase.gate} />}
            </Fragment>
          );
        })}
      </Phases>
      {isMany && <PhaseSummary deployment={deployment} />}
    </section>
  );
}

/** Phases above which their labels do not fit. */
const MANY = 10;

function PhaseSummary({ deployment }: { readonly deployment: PhaseStripFragment }) {
  const { phases } = deployment;
  const phase = currentPhase(phases);
  const finished = phases.filter(({ status }) => status === 'DONE').length;
  return (
    <p className="small soft">
      {t('phases.many', { n: finished, of: phases.length })}
      {phase !== undefined && (
        <>
          {' '}
          <b>{phaseTitle(phase)}</b> {noteOf(phase)}: {targetCountText(phaseCounts(phase, deployment))}
        </>
      )}
    </p>
  );
}

function announcement(phases: readonly Planned[]): string {
  const phase = currentPhase(phases);
  if (phase === undefined)
    return phases.length > 0 && phases.every(({ status }) => status === 'DONE') ? t('phases.done') : '';
  if (phase.status === 'HELD') return t('phases.held', { phase: phaseTitle(phase) });
  return t(phase.status === 'RUNNING' ? 'phases.running' : 'phases.failed', { phase: phaseTitle(phase) });
}

const noteOf = ({ weight, status }: Planned): string =>
  weight === null
    ? t(`phaseStatus.${status}`)
    : t('phase.note', { weight: t('phase.weight', { n: weight }), status: t(`phaseStatus.${status}`) });

/** Gate after a phase: closed while it holds the deployment, open once the phase is done. */
function Gate({ phase: { status }, gate }: { readonly phase: Planned; readonly gate: 'MANUAL' | 'ANALYSIS' }) {
  const state = status === 'HELD' ? 'closed' : status === 'DONE' ? 'open' : 'ahead';
  const looks: Looks<typeof state> = { closed: 'held', open: 'verified', ahead: 'queued' };
  return <PhaseGate look={looks[state]} label={t(`phase.gate.${state}`, { who: t(`phase.gate.by.${gate}`) })} />;
}
