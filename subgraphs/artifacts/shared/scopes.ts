/** Scopes that read the bytes of evidence; any one suffices. */
export const EVIDENCE_READ: readonly string[] = ['export.viewer', 'export.operator'];

/** Scopes that measure releases by the evidence that an environment requires: those that read releases or evidence. */
export const EVIDENCE_ASSESS: readonly string[] = ['release:read', 'orch:read', ...EVIDENCE_READ];

/** Scopes that put evidence: those of who exports it, and those with which a pipeline sends its bills of materials. */
export const EVIDENCE_WRITE: readonly string[] = ['export.operator', 'scanner:write'];

/** Scopes that make bundles and exports of evidence, and those that follow and download exports (spec 4.5). */
export const EVIDENCE_EXPORT: readonly string[] = ['export.operator'];
export const EXPORT_READ: readonly string[] = ['export.viewer'];

/** Scopes that place and end legal holds and postpone the end of a retention. */
export const EVIDENCE_HOLD: readonly string[] = ['export.operator', 'orch:admin'];

/** Scope that deletes artifacts, runs the retention and ends the holds of others. */
export const EVIDENCE_ADMIN: readonly string[] = ['orch:admin'];
