import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { strategies } from '../../shared/enums.ts';

export const phaseKinds = ['all', 'batch', 'canary', 'provision', 'switch', 'retire'] as const;
export type PhaseKind = (typeof phaseKinds)[number];

/** Plan of a deployment, as previewed, stored and executed (spec 2.10). */
export const planDocument = Type.Object({
  strategy: oneOf(...strategies),
  requestedStrategy: oneOf(...strategies),
  targetCount: Type.Integer(),
  phases: Type.Array(
    Type.Object({
      index: Type.Integer(),
      targetCount: Type.Integer(),
      kind: oneOf(...phaseKinds),
      /** Share of each target's traffic for the new release, 0 to 100; null where no router divides the traffic. */
      weight: Type.Union([Type.Integer(), Type.Null()]),
      /** Gate after the phase, before the next phase begins. */
      gate: Type.Union([Type.Literal('manual'), Type.Literal('analysis'), Type.Null()]),
    }),
  ),
  effectiveBehaviour: Type.String(),
  caveats: Type.Array(oneOf('single-target-collapse', 'no-traffic-management')),
});

export type Plan = Static<typeof planDocument>;
export type PlannedPhase = Plan['phases'][number];
export type Caveat = Plan['caveats'][number];
