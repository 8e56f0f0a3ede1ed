import type { PhaseStripFragment } from '../../generated/operations.ts';
import { countTargets, type TargetCounts } from '../../lib/target-counts.ts';

type Deployment = Pick<PhaseStripFragment, 'phases' | 'targets'>;
type Phase = Deployment['phases'][number];

/**
 * Targets of a phase by state. When each target is in one phase, they are counted by their state. When phases cover
 * every target (a canary behind a router, blue-green), the current phase and the last one count them all; earlier
 * phases are done without a verdict, later ones wait.
 */
export function phaseCounts(phase: Phase, deployment: Deployment): TargetCounts {
  const { targets } = deployment;
  if (!visitsAll(deployment)) return countTargets(targets.filter(({ phaseIndex }) => phaseIndex === phase.index));
  if (phase.status === 'PENDING' || phase.status === 'SKIPPED') return all('PENDING', targets.length);
  return isPassedWithoutVerdict(phase, deployment) ? all('HELD', targets.length) : countTargets(targets);
}

const visitsAll = ({ phases, targets }: Deployment): boolean =>
  phases.reduce((sum, { targetCount }) => sum + targetCount, 0) > targets.length;

/** Phase that every target has been through on its way: nothing was judged at its end. */
export const isPassedWithoutVerdict = (phase: Phase, deployment: Deployment): boolean =>
  visitsAll(deployment) && phase.status === 'DONE' && phase.index < deployment.phases.length - 1;

const all = (status: 'PENDING' | 'HELD', n: number): TargetCounts =>
  countTargets(Array.from({ length: n }, () => ({ status, landing: null })));

/** Current phase of the deployment: running, held at its gate, or failed. */
export const currentPhase = <P extends { readonly status: Phase['status'] }>(phases: readonly P[]): P | undefined =>
  phases.find(({ status }) => status === 'RUNNING' || status === 'HELD') ??
  phases.findLast(({ status }) => status === 'FAILED');
