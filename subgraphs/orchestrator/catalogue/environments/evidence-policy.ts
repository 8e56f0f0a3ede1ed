import { invalid } from '@landfall/kernel/core/fault';
import type { EvidenceRequirement } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { type EvidenceType, evidenceTypes } from '../../shared/enums.ts';

/** Most requirements of an environment. */
const MAX_REQUIREMENTS = 20;

/** Requirements as they are stored: each names a kind of evidence or a type of predicate. */
export const evidencePolicy = Type.Array(
  Type.Object({
    evidence: Type.Union([oneOf(...evidenceTypes), Type.Null()]),
    predicateType: Type.Union([Type.String(), Type.Null()]),
    signer: Type.Union([Type.String(), Type.Null()]),
    maxAgeDays: Type.Union([Type.Integer(), Type.Null()]),
  }),
);

export const evidencePolicyInput = Type.Array(
  Type.Object({
    evidence: Type.Optional(oneOf(...evidenceTypes)),
    predicateType: Type.Optional(freeText(500)),
    signer: Type.Optional(freeText(200)),
    maxAgeDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
  }),
  { maxItems: MAX_REQUIREMENTS },
);

/** Policy of an input. @throws Fault VAL_REQUIRED_FIELD for a requirement that names no evidence, or two */
export const toEvidencePolicy = (input: Static<typeof evidencePolicyInput>): Static<typeof evidencePolicy> =>
  input.map(({ evidence = null, predicateType = null, signer = null, maxAgeDays = null }, index) => {
    if ((evidence === null) !== (predicateType === null)) return { evidence, predicateType, signer, maxAgeDays };
    const field = `evidencePolicy.${index}.evidence`;
    throw invalid([
      { field, message: 'give either the kind of evidence or its predicateType', code: 'VAL_REQUIRED_FIELD' },
    ]);
  });

/** Requirements of an environment: its policy, and the kinds that it requires whoever signed them. */
export const requirementsOf = ({
  requiredEvidence,
  policy,
}: {
  readonly requiredEvidence: readonly EvidenceType[];
  readonly policy: Static<typeof evidencePolicy>;
}): readonly EvidenceRequirement[] => [
  ...policy,
  ...requiredEvidence
    .filter((kind) => policy.every(({ evidence }) => evidence !== kind))
    .map((evidence) => ({ evidence, predicateType: null, signer: null, maxAgeDays: null })),
];
