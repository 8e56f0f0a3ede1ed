import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { strategies } from '../../shared/enums.ts';
import { caveats, phaseKinds } from '../plan/plan.ts';
import { stages } from './anatomy.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const verdict = Type.Union([Type.Literal('verified'), Type.Literal('mismatch'), Type.Literal('unverified')]);

const digests = { gatedDigest: Type.String(), manifestDigest: nullableText, observedDigest: nullableText };

/** `Landing` as it is stored. */
export const landingDocument = Type.Object({
  verdict,
  ...digests,
  components: Type.Array(Type.Object({ name: Type.String(), verdict, ...digests })),
});

const category = Type.Union([
  Type.Literal('SecretResolution'),
  Type.Literal('RegistryUnreachable'),
  Type.Literal('AgentUnassigned'),
  Type.Literal('AgentOffline'),
  Type.Literal('Timeout'),
  Type.Literal('TargetNotFound'),
  Type.Literal('UnsupportedTarget'),
  Type.Literal('NoHealthyTargets'),
  Type.Literal('DependencyGraph'),
  Type.Literal('PreflightFailed'),
  Type.Literal('HealthCheckFailed'),
  Type.Literal('NoTargetsEnrolled'),
  Type.Literal('StrategyPlanIncomplete'),
  Type.Literal('StrategyGateHalted'),
  Type.Literal('RollbackNotEligible'),
  Type.Literal('DigestMismatch'),
  Type.Literal('Unclassified'),
]);

/** `Anatomy` as it is stored. */
export const anatomyDocument = Type.Object({
  stage: Type.Unsafe<(typeof stages)[number]>(Type.Enum([...stages])),
  category,
  reason: Type.String(),
  plainReason: Type.String(),
  detail: Type.String(),
  action: Type.String(),
  actionPath: nullableText,
  retryable: Type.Boolean(),
  errorCode: Type.Optional(Type.String()),
});

/** `Plan` as it is stored. */
export const planDocument = Type.Object({
  strategy: oneOf(...strategies),
  requestedStrategy: oneOf(...strategies),
  targetCount: Type.Integer(),
  phases: Type.Array(
    Type.Object({
      index: Type.Integer(),
      targetCount: Type.Integer(),
      kind: oneOf(...phaseKinds),
      weight: Type.Union([Type.Integer(), Type.Null()]),
      gate: Type.Union([Type.Literal('manual'), Type.Literal('analysis'), Type.Null()]),
    }),
  ),
  effectiveBehaviour: Type.String(),
  caveats: Type.Array(oneOf(...caveats)),
});
