/** Scope that reads the state of the air gap (spec 5.9). */
export const AIRGAP_READ: readonly string[] = ['airgap:status:read'];

/** Scope that seals, unseals, sets the policy and sets time anchors; mirror import needs it too (ruling 12). */
export const AIRGAP_SEAL: readonly string[] = ['airgap:seal'];
