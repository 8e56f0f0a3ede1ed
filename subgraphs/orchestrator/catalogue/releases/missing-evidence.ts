import type { EvidenceType } from '../../shared/enums.ts';

interface Stage {
  readonly environment: { readonly requiredEvidence: readonly EvidenceType[] };
  readonly step: { readonly after: readonly unknown[] };
}

/** Lists the evidence kinds that the first environments of a path require and the release lacks, in their order. */
export const missingEvidence = (
  { evidence }: { readonly evidence: readonly { readonly type: EvidenceType }[] },
  stages: readonly Stage[],
): EvidenceType[] => {
  const first = stages.filter(({ step }) => step.after.length === 0);
  const required = new Set(first.flatMap(({ environment }) => environment.requiredEvidence));
  const have = new Set(evidence.map(({ type }) => type));
  return [...required].filter((type) => !have.has(type));
};
