import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { strategies } from '../../shared/enums.ts';

export const phaseKinds = ['all', 'batch', 'canary', 'provision', 'switch', 'retire'] as const;
export type PhaseKind = (typeof phaseKinds)[number];

/** Plan of a deployment, as a preview, as it is stored and as it is carried out (spec 2.10). */
export const planDocument = Type.Object({
  strategy: oneOf(...strategies),
  requestedStrategy: oneOf(...strategies),
  targetCount: Type.Integer(),
  phases: Type.Array(
    Type.Object({
      index: Type.Integer(),
      targetCount: Type.Integer(),
      kind: oneOf(...phaseKinds),
      /** The new release's share of the traffic on each target, 0 to 100; null where nothing divides it. */
      weight: Type.Union([Type.Integer(), Type.Null()]),
      /** Gate after it, before the next phase begins. */
      gate: Type.Union([Type.Literal('manual'), Type.Literal('analysis'), Type.Null()]),
    }),
  ),
  effectiveBehaviour: Type.String(),
  caveats: Type.Array(oneOf('single-target-collapse', 'no-traffic-management')),
});

export type Plan = Static<typeof planDocument>;
export type PlannedPhase = Plan['phases'][number];
export type Caveat = Plan['caveats'][number];
