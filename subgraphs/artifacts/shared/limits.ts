/** Artifacts of one bundle: the manifest of its exports is one document, which verifiers hold in memory. */
export const MAX_BUNDLE_ARTIFACTS = 25_000;
