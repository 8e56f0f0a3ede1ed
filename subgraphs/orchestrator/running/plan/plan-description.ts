import type { PlannedPhase as Phase, Plan } from './plan.ts';

const SERVES = 'what runs now serves until the new version is healthy';

const enumerate = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

const GATES = { manual: 'somebody passes the gate', analysis: 'its metrics pass' } as const;

/** Describes what opens the gates of a plan, which has one kind of gate. */
const gateWords = (phases: readonly Phase[], location: string): string => {
  const gate = phases.find((phase) => phase.gate !== null)?.gate;
  return gate ? `${location} only after ${GATES[gate]}` : `${location} without waiting`;
};

const batches = (phases: readonly Phase[], targetCount: number): string => {
  const [size, last] = [phases[0]?.targetCount, phases.at(-1)?.targetCount];
  const of = size === last ? `of ${size}` : `of ${size}, the last of ${last}`;
  return `The ${targetCount} targets change over in ${phases.length} batches ${of}; a batch begins when the one before it is healthy.`;
};

const canaryByTargets = (phases: readonly Phase[], targetCount: number): string => {
  const reached = phases.map((_, i) => phases.slice(0, i + 1).reduce((sum, phase) => sum + phase.targetCount, 0));
  const steps = enumerate(reached.map((count, i) => (i < phases.length - 1 ? String(count) : `all ${targetCount}`)));
  return `The new version reaches ${steps} targets, step by step, ${gateWords(phases, 'each next step')}. Nothing divides the traffic of a target.`;
};

const canaryByTraffic = (phases: readonly Phase[], targetCount: number): string => {
  const steps = enumerate(phases.map(({ weight }) => `${weight} %`));
  return `On each of the ${targetCount} targets the new version takes ${steps} of the traffic, step by step, ${gateWords(phases, 'each next step')}.`;
};

const after = (phase: Phase | undefined): string => (phase?.gate ? `After ${GATES[phase.gate]},` : 'Then');

const blueGreen = ([provision, change]: readonly Phase[], targetCount: number): string =>
  provision?.weight === null
    ? `On all ${targetCount} targets the new version is made ready beside the old. ${after(provision)} it takes the place of the old. ${after(change)} the old is removed. Nothing divides the traffic of a target.`
    : `On all ${targetCount} targets the new version starts beside the old, without traffic. ${after(provision)} it takes all of the traffic. ${after(change)} the old is stopped.`;

/** Describes a plan in a sentence, built from its phases. */
export const describe = ({
  strategy,
  targetCount,
  phases,
}: Pick<Plan, 'strategy' | 'targetCount' | 'phases'>): string => {
  if (targetCount === 0) return 'There is no target: nothing would change.';
  if (targetCount === 1) return `The one target changes over; ${SERVES}.`;
  if (phases.length === 1) return `All ${targetCount} targets change over at once; on each, ${SERVES}.`;
  if (strategy === 'rolling') return batches(phases, targetCount);
  if (strategy === 'blue_green') return blueGreen(phases, targetCount);
  return phases[0]?.weight === null ? canaryByTargets(phases, targetCount) : canaryByTraffic(phases, targetCount);
};
