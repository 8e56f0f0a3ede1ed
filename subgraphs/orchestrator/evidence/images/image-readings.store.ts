import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

type ReleaseId = Id<'Release'>;

const readings = table('orchestrator.image_readings', {
  releaseId: id('Release'),
  dueAt: instant.nullable(),
  attempts: integer,
  lastError: text.nullable(),
  readAt: instant.nullable(),
  unread: textArray,
});

/** Progress of reading the statements of a release's images. */
export type ImageReading = RowOf<typeof readings>;

/** Schedules a reading for now, in the transaction of finalize. */
export const insert = (tx: Tx, tenant: TenantId, release: ReleaseId) =>
  tx.run(sql`/* orchestrator.image_readings.insert */
    insert into orchestrator.image_readings (tenant, release_id, due_at) values (${tenant}, ${release}, kernel.now())
    on conflict (tenant, release_id) do update set due_at = excluded.due_at`);

export const listByReleases = (query: Query, tenant: TenantId, releases: readonly ReleaseId[]) =>
  readings.listWhere(query, 'listByReleases', sql`tenant = ${tenant} and release_id = any(${releases}::uuid[])`);

const due = table('orchestrator.image_readings.due', { tenant: tenantId, releaseId: id('Release') });

/**
 * Leases readings that are due, across tenants; if the worker dies, the reading is due again when its lease expires.
 */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number) =>
  tx.list(
    due,
    sql`/* orchestrator.image_readings.leaseDue */
    with due as (
      select tenant, release_id from orchestrator.image_readings
      where due_at <= kernel.now() and (lease_until is null or lease_until <= kernel.now())
      order by due_at limit ${limit}
      for update skip locked
    )
    update orchestrator.image_readings as reading
    set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where reading.tenant = due.tenant and reading.release_id = due.release_id
    returning reading.tenant, reading.release_id`,
  );

/** Records that the images were read. */
export const settle = (tx: Tx, tenant: TenantId, release: ReleaseId, unread: readonly string[]) =>
  tx.run(sql`/* orchestrator.image_readings.settle */
    insert into orchestrator.image_readings (tenant, release_id, read_at, unread)
    values (${tenant}, ${release}, kernel.now(), ${unread})
    on conflict (tenant, release_id) do update set
      due_at = null, lease_until = null, attempts = 0, last_error = null, read_at = excluded.read_at,
      unread = excluded.unread`);

/** Postpones a reading after a registry gave no answer: the delay doubles each time, up to an hour. */
export const postpone = (tx: Tx, tenant: TenantId, release: ReleaseId, error: string) =>
  tx.run(sql`/* orchestrator.image_readings.postpone */
    update orchestrator.image_readings
    set due_at = kernel.now() + make_interval(secs => least(3600, power(2, least(attempts, 12)))),
      lease_until = null, attempts = attempts + 1, last_error = ${error}
    where tenant = ${tenant} and release_id = ${release}`);

/** Schedules readings whose statements had no trusted signer, after a signer was added. */
export const rescheduleAll = (tx: Tx, tenant: TenantId) =>
  tx.run(sql`/* orchestrator.image_readings.rescheduleAll */
    update orchestrator.image_readings as r set due_at = kernel.now()
    where r.tenant = ${tenant} and r.due_at is null
      and exists (select from orchestrator.image_statements as s
        left join orchestrator.trusted_signers as t on t.tenant = ${tenant} and t.id = s.signer_id
        where s.tenant = ${tenant} and s.release_id = r.release_id and (s.state = 'missing' or t.removed_at is not null))`);
