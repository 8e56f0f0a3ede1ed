import type {
  ArtifactType,
  EstateState,
  EvidenceVerdict,
  ReleaseStatus,
  Strategy,
  SyncJobState,
  TrafficGate,
} from '../generated/operations.ts';

export const ARTIFACT_TYPES = [
  'SBOM',
  'VEX',
  'DSSE_ENVELOPE',
  'REKOR_PROOF',
  'VERDICT',
  'OTHER',
] as const satisfies readonly ArtifactType[];
export const EVIDENCE_VERDICTS = ['VERIFIED', 'UNVERIFIED', 'INVALID'] as const satisfies readonly EvidenceVerdict[];
export const ESTATE_STATES = ['UNOBSERVED', 'DRIFT', 'IN_SYNC'] as const satisfies readonly EstateState[];
export const GATES = ['MANUAL', 'ANALYSIS', 'NONE'] as const satisfies readonly TrafficGate[];
export const RELEASE_STATUSES = [
  'DRAFT',
  'FINALIZED',
  'READY',
  'DEPRECATED',
] as const satisfies readonly ReleaseStatus[];
export const STRATEGIES = ['ALL_AT_ONCE', 'ROLLING', 'CANARY', 'BLUE_GREEN'] as const satisfies readonly Strategy[];
export const SYNC_JOB_STATES = [
  'QUEUED',
  'EXPORTED',
  'APPLIED',
  'DUPLICATE',
  'CONFLICT',
  'REFUSED',
] as const satisfies readonly SyncJobState[];
