import type { Meter } from '@landfall/kernel/system/telemetry';
import type { JobKind } from './kinds.ts';

/** Numbers of an import that took effect. */
export interface MergeCounts {
  readonly entries: number;
  /** Kinds of the jobs that took effect. */
  readonly applied: readonly string[];
  readonly duplicates: number;
  readonly conflicts: number;
}

/** Instruments of the synchronisation of sites (spec 6.7). */
export const createSyncMeters = (meter: Meter | undefined) => {
  const counter = (name: string, description: string) => meter?.counter(name, { description });
  const exported = counter('airgap_bundles_exported_total', 'Bundles that were exported, by tenant.');
  const imported = counter('airgap_bundles_imported_total', 'Bundles that were imported, by tenant.');
  const synced = counter('airgap_jobs_synced_total', 'Jobs of other sites that took effect, by tenant and kind.');
  const duplicates = counter('airgap_duplicates_dropped_total', 'Jobs that were known already, by tenant.');
  const conflicts = counter('airgap_merge_conflicts_total', 'Jobs that contradict another one, by tenant.');
  const enqueues = counter('airgap_offline_enqueues_total', 'Jobs that were put into the queue, by tenant and kind.');
  const merged = counter('airgap_merge_entries_count', 'Entries of bundles that were merged, by tenant.');
  const size = meter?.histogram('airgap_bundle_size_bytes', { description: 'Size of a bundle.', unit: 'By' });
  const duration = meter?.histogram('airgap_sync_duration_seconds', {
    description: 'Time to export or import a bundle.',
    unit: 's',
  });
  const moved = (direction: 'export' | 'import', bytes: number, startedMs: number): void => {
    size?.(bytes, { direction });
    duration?.((performance.now() - startedMs) / 1_000, { direction });
  };
  return {
    enqueued: (tenant: string, kind: JobKind): void => enqueues?.({ tenant, kind }),
    exported(tenant: string, bytes: number, startedMs: number): void {
      exported?.({ tenant });
      moved('export', bytes, startedMs);
    },
    imported(tenant: string, counts: MergeCounts, bytes: number, startedMs: number): void {
      imported?.({ tenant });
      merged?.({ tenant }, counts.entries);
      for (const kind of counts.applied) synced?.({ tenant, kind });
      duplicates?.({ tenant }, counts.duplicates);
      conflicts?.({ tenant }, counts.conflicts);
      moved('import', bytes, startedMs);
    },
  };
};

export type SyncMeters = ReturnType<typeof createSyncMeters>;
