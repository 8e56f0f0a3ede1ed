import type { TenantId } from '@landfall/kernel/core/ids';
import { count, id, integer, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { AttestationId } from './attestations.store.ts';

const due = table('orchestrator.external_entries.due', { tenant: tenantId, attestationId: id('Attestation') });

export type DueEntry = RowOf<typeof due>;

/** Leases entries to submit to the external log. Across tenants, so by the system role. */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number): Promise<DueEntry[]> =>
  tx.list(
    due,
    sql`/* orchestrator.external.leaseDue */
    with due as (
      select tenant, attestation_id from orchestrator.external_entries
      where logged_at is null and due_at <= kernel.now() and (lease_until is null or lease_until <= kernel.now())
      order by due_at, attestation_id limit ${limit}
      for update skip locked
    )
    update orchestrator.external_entries as e set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where e.tenant = due.tenant and e.attestation_id = due.attestation_id
    returning e.tenant, e.attestation_id`,
  );

/** Queues a statement for submission to the external log at `url`. */
export const insert = (tx: Tx, tenant: TenantId, attestation: AttestationId, url: string): Promise<number> =>
  tx.run(sql`/* orchestrator.external.insert */
    insert into orchestrator.external_entries (tenant, attestation_id, url)
    values (${tenant}, ${attestation}, ${url}) on conflict (tenant, attestation_id) do nothing`);

const entries = table('orchestrator.external_entries', {
  attestationId: id('Attestation'),
  url: text,
  logIndex: count.nullable(),
  entry: text.nullable(),
  attempts: integer,
  lastError: text.nullable(),
});

export type ExternalEntry = RowOf<typeof entries>;

export const listByAttestations = (query: Query, tenant: TenantId, attestations: readonly AttestationId[]) =>
  query.list(
    entries,
    sql`/* orchestrator.external.listByAttestations */
    select ${entries.columns} from orchestrator.external_entries
    where tenant = ${tenant} and attestation_id = any(${attestations}::uuid[])`,
  );

/** Stores the verified entry with its log's address, since the settings may have changed since it was queued. */
export const save = (
  tx: Tx,
  tenant: TenantId,
  attestation: AttestationId,
  { index, entry, url }: { readonly index: number; readonly entry: string; readonly url: string },
): Promise<number> =>
  tx.run(sql`/* orchestrator.external.save */
    update orchestrator.external_entries
    set url = ${url}, log_index = ${index}, entry = ${entry}, logged_at = kernel.now(), attempts = attempts + 1, lease_until = null,
      last_error = null
    where tenant = ${tenant} and attestation_id = ${attestation} and logged_at is null`);

export const fail = (
  tx: Tx,
  tenant: TenantId,
  attestation: AttestationId,
  { error, waitSeconds }: { readonly error: string; readonly waitSeconds: number },
): Promise<number> =>
  tx.run(sql`/* orchestrator.external.fail */
    update orchestrator.external_entries
    set attempts = attempts + 1, last_error = ${error}, due_at = kernel.now() + make_interval(secs => ${waitSeconds}),
      lease_until = null
    where tenant = ${tenant} and attestation_id = ${attestation} and logged_at is null`);
