import type { Meter } from '@landfall/kernel/system/telemetry';

/** Meters of the importer of kits (spec 6.7). */
export const createImporterMeters = (meter: Meter | undefined) => {
  const imports = meter?.counter('offlinekit_import_total', {
    description: 'Imports of offline kits that ended, by status and tenant.',
  });
  const verification = meter?.histogram('offlinekit_attestation_verify_latency_seconds', {
    description: 'Time to verify one attestation of a kit offline.',
    unit: 's',
  });
  const successes = meter?.counter('attestor_rekor_success_total', {
    description: 'Attestations of kits whose inclusion in their log was verified.',
  });
  const retries = meter?.counter('attestor_rekor_retry_total', {
    description: 'Repeated verifications of attestations of kits.',
  });
  const inclusion = meter?.histogram('rekor_inclusion_latency', {
    description: 'Time to verify the inclusion of one attestation of a kit in its log.',
    unit: 's',
  });
  return {
    /** Counts an import that ended. */
    ended: (status: 'complete' | 'failed' | 'dry_run', tenant: string): void =>
      imports?.({ status, tenant_id: tenant }),
    /** Records the verification of an attestation, and whether its log included it. */
    verified(seconds: number, isIncluded: boolean): void {
      verification?.(seconds);
      inclusion?.(seconds);
      if (isIncluded) successes?.();
    },
    retried: (): void => retries?.(),
  };
};

export type ImporterMeters = ReturnType<typeof createImporterMeters>;
