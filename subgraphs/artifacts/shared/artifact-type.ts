/** Kinds of evidence, in the spelling of the index (spec 2.6); `Other` is anything whose form is not known. */
export const ARTIFACT_TYPES = ['Sbom', 'Vex', 'DsseEnvelope', 'RekorProof', 'Verdict', 'Other'] as const;

export type ArtifactType = (typeof ARTIFACT_TYPES)[number];

/** Words of the graph's enum for each type. */
const GRAPH_WORDS = {
  Sbom: 'sbom',
  Vex: 'vex',
  DsseEnvelope: 'dsse_envelope',
  RekorProof: 'rekor_proof',
  Verdict: 'verdict',
  Other: 'other',
} as const satisfies Readonly<Record<ArtifactType, string>>;

type GraphWord = (typeof GRAPH_WORDS)[ArtifactType];

/** Word of the graph's enum for a type. */
export const graphWordOf = (type: ArtifactType): GraphWord => GRAPH_WORDS[type];

/** Type of a word of the graph's enum; undefined for none. */
export const typeOfGraphWord = (word: GraphWord | null | undefined): ArtifactType | undefined =>
  ARTIFACT_TYPES.find((type) => GRAPH_WORDS[type] === word);
