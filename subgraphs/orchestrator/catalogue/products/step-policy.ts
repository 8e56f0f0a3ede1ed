import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { type EvidenceType, evidenceTypes, separations } from '../../shared/enums.ts';
import type { Environment } from '../environments/environment.ts';

/** Settings of an environment that a product's path replaces there. */
export const stepPolicy = Type.Object({
  requiredApprovals: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  separationOfDuties: Type.Optional(oneOf(...separations)),
  requiredEvidence: Type.Optional(Type.Array(oneOf(...evidenceTypes), { uniqueItems: true })),
  /** Whether these settings may be less strict than those of the environment. */
  relaxes: Type.Optional(Type.Boolean()),
});

export type StepPolicy = Static<typeof stepPolicy>;

type Guarded = Pick<Environment, 'requiredApprovals' | 'separationOfDuties' | 'requiredEvidence'>;

const union = (first: readonly EvidenceType[], second: readonly EvidenceType[]): EvidenceType[] => [
  ...new Set([...first, ...second]),
];

/**
 * Applies a step's policy to its environment. Unless the step relaxes it, the stricter of the two settings applies, so
 * that an environment that becomes stricter later is obeyed.
 */
export const withPolicy = <E extends Guarded>(environment: E, policy: StepPolicy): E => {
  const { requiredApprovals, separationOfDuties, requiredEvidence, relaxes } = policy;
  if (relaxes)
    return {
      ...environment,
      requiredApprovals: requiredApprovals ?? environment.requiredApprovals,
      separationOfDuties: separationOfDuties ?? environment.separationOfDuties,
      requiredEvidence: requiredEvidence ?? environment.requiredEvidence,
    };
  return {
    ...environment,
    requiredApprovals: Math.max(environment.requiredApprovals, requiredApprovals ?? 0),
    separationOfDuties: separationOfDuties === 'author' ? 'author' : environment.separationOfDuties,
    requiredEvidence: union(environment.requiredEvidence, requiredEvidence ?? []),
  };
};

/** Names the settings of a policy that are less strict than those of the environment. */
export const relaxedSettings = (environment: Guarded, policy: StepPolicy): (keyof Guarded)[] => {
  const relaxed: (keyof Guarded)[] = [];
  if ((policy.requiredApprovals ?? environment.requiredApprovals) < environment.requiredApprovals)
    relaxed.push('requiredApprovals');
  if (policy.separationOfDuties === 'off' && environment.separationOfDuties === 'author')
    relaxed.push('separationOfDuties');
  const evidence = policy.requiredEvidence;
  if (evidence && environment.requiredEvidence.some((type) => !evidence.includes(type)))
    relaxed.push('requiredEvidence');
  return relaxed;
};
