import type { StrategyParams } from '../../catalogue/environments/strategy-params.ts';
import type { Strategy } from '../../shared/enums.ts';
import type { Caveat, PhaseKind, Plan, PlannedPhase } from './plan.ts';
import { describe } from './plan-description.ts';

export interface PlanRequest {
  readonly strategy: Strategy;
  readonly targetCount: number;
  readonly params: StrategyParams;
  /** Whether every target has a router in front of the components. */
  readonly hasTraffic: boolean;
}

type Draft = Omit<PlannedPhase, 'index'>;

const gateOf = ({ gate }: StrategyParams): PlannedPhase['gate'] => (gate === 'none' ? null : gate);

const plain = (kind: PhaseKind, targetCount: number): Draft => ({ kind, targetCount, weight: null, gate: null });

const rolling = ({ targetCount, params }: PlanRequest): Draft[] => {
  const size = Math.ceil((targetCount * params.batchPercent) / 100);
  return Array.from({ length: Math.ceil(targetCount / size) }, (_, i) =>
    plain('batch', Math.min(size, targetCount - i * size)),
  );
};

/** Targets that each step adds to the one before; a step that adds none is dropped. */
const increments = (targetCount: number, steps: readonly number[]): number[] => {
  const reached = steps.map((step) => Math.ceil((targetCount * step) / 100));
  return reached.map((count, i) => count - (reached[i - 1] ?? 0)).filter((count) => count > 0);
};

const canary = ({ targetCount, params, hasTraffic }: PlanRequest): Draft[] => {
  const phases = hasTraffic
    ? params.canarySteps.map((weight) => ({ ...plain('canary', targetCount), weight }))
    : increments(targetCount, params.canarySteps).map((count) => plain('canary', count));
  return phases.map((phase, i) => (i === phases.length - 1 ? phase : { ...phase, gate: gateOf(params) }));
};

const blueGreen = ({ targetCount, params, hasTraffic }: PlanRequest): Draft[] => {
  const phase = (kind: PhaseKind, weight: number, gate: PlannedPhase['gate']): Draft => ({
    kind,
    targetCount,
    weight: hasTraffic ? weight : null,
    gate,
  });
  const gate = gateOf(params);
  return [
    // Nothing has traffic yet, so there is nothing that an analysis could measure.
    phase('provision', 0, gate === 'manual' ? gate : null),
    phase('switch', 100, gate),
    phase('retire', 100, null),
  ];
};

const drafts: Readonly<Record<Strategy, (request: PlanRequest) => Draft[]>> = {
  all_at_once: ({ targetCount }) => [plain('all', targetCount)],
  rolling,
  canary,
  blue_green: blueGreen,
};

const caveatsOf = (requested: Strategy, { strategy, targetCount, hasTraffic }: PlanRequest): Caveat[] => {
  if (targetCount === 0) return [];
  if (strategy !== requested) return ['single-target-collapse'];
  return !hasTraffic && (strategy === 'canary' || strategy === 'blue_green') ? ['no-traffic-management'] : [];
};

/** Plans a deployment, for preview and execution alike. The strategy for a single target is `all_at_once`. */
export const plan = (request: PlanRequest): Plan => {
  const { strategy: requested, targetCount } = request;
  const strategy = targetCount === 1 ? 'all_at_once' : requested;
  const expected = { ...request, strategy };
  const phases = targetCount === 0 ? [] : drafts[strategy](expected).map((draft, index) => ({ index, ...draft }));
  return {
    strategy,
    requestedStrategy: requested,
    targetCount,
    phases,
    effectiveBehaviour: describe({ strategy, targetCount, phases }),
    caveats: caveatsOf(requested, expected),
  };
};

/** Checks whether several phases each include every target; otherwise each target belongs to one phase. */
export const isOverlapping = ({ phases, targetCount }: Pick<Plan, 'phases' | 'targetCount'>): boolean =>
  phases.length > 1 && phases.every((phase) => phase.targetCount === targetCount);

/** First phase of each target, in the order of the targets. */
export const firstPhases = (planned: Pick<Plan, 'phases' | 'targetCount'>): number[] =>
  isOverlapping(planned)
    ? Array.from({ length: planned.targetCount }, () => 0)
    : planned.phases.flatMap(({ index, targetCount }) => Array.from({ length: targetCount }, () => index));

/** Traffic that a phase’s tasks set on a target’s router; the last phase retires the former release. */
export const trafficOf = (
  planned: Pick<Plan, 'phases' | 'targetCount'>,
  { index, kind, weight }: Pick<PlannedPhase, 'index' | 'kind' | 'weight'>,
): { readonly weight: number; readonly retire: boolean } => {
  if (!isOverlapping(planned)) return { weight: 100, retire: true };
  return { weight: weight ?? (kind === 'provision' ? 0 : 100), retire: index === planned.phases.length - 1 };
};
