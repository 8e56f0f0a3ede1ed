import type { Strategy } from '../../shared/enums.ts';

export const phaseKinds = ['all', 'batch', 'canary', 'provision', 'switch', 'retire'] as const;
export type PhaseKind = (typeof phaseKinds)[number];

export const caveats = ['single-target-collapse', 'no-traffic-management'] as const;
export type Caveat = (typeof caveats)[number];

export interface PlannedPhase {
  readonly index: number;
  readonly targetCount: number;
  readonly kind: PhaseKind;
  /** The new release's share of the traffic on each target, 0 to 100; null where nothing divides it. */
  readonly weight: number | null;
  /** Gate after it, before the next phase begins. */
  readonly gate: 'manual' | 'analysis' | null;
}

/** Plan of a deployment, as a preview and as it is carried out (spec 2.10). */
export interface Plan {
  readonly strategy: Strategy;
  readonly requestedStrategy: Strategy;
  readonly targetCount: number;
  readonly phases: readonly PlannedPhase[];
  readonly effectiveBehaviour: string;
  readonly caveats: readonly Caveat[];
}
