import type { Caller } from '@landfall/kernel/core/caller';
import type { Drifts } from './drifts/drifts.ts';
import type { DriftLoaders } from './drifts/loaders.ts';
import type { ReachabilityJobs } from './drifts/reachability-jobs.ts';
import type { Policies } from './manifests/policies.ts';
import type { Loaders } from './replays/loaders.ts';
import type { Proofs } from './replays/proofs.ts';
import type { Replays } from './replays/replays.ts';
import type { ScanLoaders } from './scans/loaders.ts';
import type { Scans } from './scans/scans.ts';
import type { TriageLoaders } from './triage/loaders.ts';
import type { Triage } from './triage/triage.ts';
import type { VexLoaders } from './vex/loaders.ts';
import type { VexStatements } from './vex/statements.ts';
import type { VexDocuments } from './vex/vex-documents.ts';
import type { VexSources } from './vex/vex-sources.ts';

export interface Context {
  readonly caller: Caller;
  readonly policies: Policies;
  readonly proofs: Proofs;
  readonly replays: Replays;
  readonly scans: Scans;
  readonly drifts: Drifts;
  readonly jobs: ReachabilityJobs;
  readonly vexSources: VexSources;
  readonly vexDocuments: VexDocuments;
  readonly vexStatements: VexStatements;
  readonly triage: Triage;
  readonly loaders: Loaders & DriftLoaders & ScanLoaders & VexLoaders & TriageLoaders;
}
