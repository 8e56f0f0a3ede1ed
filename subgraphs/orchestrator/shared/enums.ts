/** Enumerations of the module's records, in lower case; schema.graphql documents each value. */
export const stageKinds = ['dev', 'test', 'stage', 'prod'] as const;
export const separations = ['off', 'author'] as const;
export const strategies = ['all_at_once', 'rolling', 'canary', 'blue_green'] as const;
export const gates = ['manual', 'analysis', 'none'] as const;
export const evidenceTypes = ['sbom', 'vex', 'score_proof', 'provenance'] as const;
export const targetDrivers = ['process', 'sandbox', 'static_slot', 'compose'] as const;
export const targetStates = ['enrolled', 'healthy', 'unhealthy', 'unknown', 'draining', 'disabled'] as const;
export const healthStates = ['healthy', 'unhealthy', 'unknown'] as const;
export const integrationKinds = ['registry', 'metrics', 'scm'] as const;
/** Forges whose interface for commits is known. */
export const forges = ['github', 'gitlab', 'gitea'] as const;
export const secretProviderKinds = ['vault_kv'] as const;
export const releaseStatuses = ['draft', 'finalized', 'ready', 'deprecated'] as const;
export const promotionStates = [
  'pending',
  'approved',
  'rejected',
  'cancelled',
  'deploying',
  'deployed',
  'failed',
  'superseded',
] as const;
export const decisions = ['approved', 'rejected'] as const;

export type Forge = (typeof forges)[number];
export type Strategy = (typeof strategies)[number];
export type EvidenceType = (typeof evidenceTypes)[number];
export type TargetDriver = (typeof targetDrivers)[number];
export type HealthState = (typeof healthStates)[number];
export type ReleaseStatus = (typeof releaseStatuses)[number];
export type PromotionState = (typeof promotionStates)[number];
export type Decision = (typeof decisions)[number];
