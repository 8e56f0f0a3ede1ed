/** Scopes that read releases; one of them suffices (spec 5.10). */
export const readsReleases = ['release:read', 'orch:read'] as const;
export const reads = ['orch:read'] as const;
export const operates = ['orch:operate'] as const;
export const approves = ['orch:approve'] as const;
export const administers = ['orch:admin'] as const;
