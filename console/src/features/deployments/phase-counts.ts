import type { PhaseStripFragment } from '../../generated/operations.ts';
import { countTargets, type TargetCounts } from '../../lib/target-counts.ts';

type Deployment = Pick<PhaseStripFragment, 'phases' | 'targets'>;
type Phase = Deployment['phases'][number];

/**
 * Targets of a phase by state. Where each target is of one phase, they are counted as they stand. Where phases
 * visit every target (a canary behind a router, blue-green), the phase under way and the last one count them all; what
 * went before is through and was not judged, what comes after waits.
 */
export function phaseCounts(phase: Phase, deployment: Deployment): TargetCounts {
  const { targets } = deployment;
  if (!visitsAll(deployment)) return countTargets(targets.filter(({ phaseIndex }) => phaseIndex === phase.index));
  if (phase.status === 'PENDING' || phase.status === 'SKIPPED') return all('PENDING', targets.length);
  return isThrough(phase, deployment) ? all('HELD', targets.length) : countTargets(targets);
}

/** Whether each phase visits every target. */
const visitsAll = ({ phases, targets }: Deployment): boolean =>
  phases.reduce((sum, { targetCount }) => sum + targetCount, 0) > targets.length;

/** A phase that every target has been through on its way: nothing was judged at its end. */
export const isThrough = (phase: Phase, deployment: Deployment): boolean =>
  visitsAll(deployment) && phase.status === 'DONE' && phase.index < deployment.phases.length - 1;

const all = (status: 'PENDING' | 'HELD', n: number): TargetCounts =>
  countTargets(Array.from({ length: n }, () => ({ status, landing: null })));

/** The phase at which the deployment stands: under way, held at its gate, or the one that failed. */
export const currentPhase = <P extends { readonly status: Phase['status'] }>(phases: readonly P[]): P | undefined =>
  phases.find(({ status }) => status === 'RUNNING' || status === 'HELD') ??
  phases.findLast(({ status }) => status === 'FAILED');
