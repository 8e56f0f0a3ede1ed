import { driftRecord } from '../reachability/drift-record.ts';
import type { StoredDrift } from './drifts.store.ts';

/** Stored drift as the API answers it, with the first page of its sinks (proofs 5.2). */
export const driftRecordOf = ({ id, headScan, baseScan, drift, computedAt }: StoredDrift, includeFullPath = false) =>
  driftRecord(drift, { driftId: id, headScan, baseScan, computedAt: computedAt.toISOString() }, includeFullPath);
