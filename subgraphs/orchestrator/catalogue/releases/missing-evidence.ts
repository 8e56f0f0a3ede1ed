import type { EvidenceType } from '../../shared/enums.ts';

interface Stage {
  readonly orderIndex: number;
  readonly requiredEvidence: readonly EvidenceType[];
}

/** Lists the evidence kinds that the lowest environment requires and the release lacks, in the environment's order. */
export const missingEvidence = (
  { evidence }: { readonly evidence: readonly { readonly type: EvidenceType }[] },
  path: readonly Stage[],
): EvidenceType[] => {
  const lowest = path.toSorted((a, b) => a.orderIndex - b.orderIndex)[0];
  const have = new Set(evidence.map(({ type }) => type));
  return (lowest?.requiredEvidence ?? []).filter((type) => !have.has(type));
};
