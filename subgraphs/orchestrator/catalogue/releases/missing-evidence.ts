import type { EvidenceType } from '../../shared/enums.ts';

interface Stage {
  readonly orderIndex: number;
  readonly requiredEvidence: readonly EvidenceType[];
}

/** The evidence that the lowest environment of the path asks for and the release lacks, in the order it asks. */
export const missingEvidence = (
  { evidence }: { readonly evidence: readonly { readonly type: EvidenceType }[] },
  path: readonly Stage[],
): EvidenceType[] => {
  const lowest = path.toSorted((a, b) => a.orderIndex - b.orderIndex)[0];
  const have = new Set(evidence.map(({ type }) => type));
  return (lowest?.requiredEvidence ?? []).filter((type) => !have.has(type));
};
