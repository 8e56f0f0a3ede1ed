/** Scope that reads the state of the air gap (spec 5.9). */
export const AIRGAP_READ: readonly string[] = ['airgap:status:read'];
