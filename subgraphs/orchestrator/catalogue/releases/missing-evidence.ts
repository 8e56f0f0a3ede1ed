import type { EvidenceType } from '../../shared/enums.ts';

interface EnvironmentStep {
  readonly environment: { readonly requiredEvidence: readonly EvidenceType[] };
  readonly step: { readonly after: readonly unknown[] };
}

interface WithEvidence {
  readonly evidence: readonly { readonly type: EvidenceType }[];
}

/** Lists the evidence kinds of a requirement that the release lacks, in their order. */
export const missingKinds = ({ evidence }: WithEvidence, required: Iterable<EvidenceType>): EvidenceType[] => {
  const have = new Set(evidence.map(({ type }) => type));
  return [...new Set(required)].filter((type) => !have.has(type));
};

/** Lists the evidence kinds that the first environments of a path require and the release lacks, in their order. */
export const missingEvidence = (release: WithEvidence, steps: readonly EnvironmentStep[]): EvidenceType[] => {
  const first = steps.filter(({ step }) => step.after.length === 0);
  return missingKinds(
    release,
    first.flatMap(({ environment }) => environment.requiredEvidence),
  );
};
