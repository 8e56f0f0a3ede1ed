import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, integer, tenantId } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const tenants = table('scanner.scans tenants', { tenant: tenantId });
const due = table('scanner.scans due', {
  tenant: tenantId,
  id: id('Scan'),
  /** Attempts that ended the process. */
  attempts: integer,
});
const begun = table('scanner.scans begun', { attempts: integer });

/** Scan that waits for rescoring. */
export type DueScan = RowOf<typeof due>;

/** Tenants with a completed scan. Role `landfall_system`. */
export const listTenants = async (query: Query): Promise<TenantId[]> => {
  const rows = await query.list(
    tenants,
    sql`/* scanner.scans.listTenants */
    select distinct tenant from scanner.scans where status = 'completed' order by tenant`,
  );
  return rows.map(({ tenant }) => tenant);
};

interface DueCriteria {
  /** Time of the cycle, the same for all tenants. */
  readonly dueAt: Date;
  /** Digests of the inputs in force, by role. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Digest of an input that is not there. */
  readonly absent: string;
  /** Milliseconds since its completion after which a scan is rescored only while its image runs. */
  readonly ageLimitMs: number;
  readonly runningImages: readonly string[];
}

/** Marks completed scans for which another input is in force than their newest freeze has. @returns their number */
export const markDue = (
  tx: Tx,
  tenant: TenantId,
  { dueAt, inputs, absent, ageLimitMs, runningImages }: DueCriteria,
): Promise<number> =>
  tx.run(sql`/* scanner.scans.markDue */
    update scanner.scans set rescore_due_at = ${dueAt}, rescore_attempts = 0
    where tenant = ${tenant} and status = 'completed' and rescore_due_at is null
      and (completed_at >= ${fromNow(-ageLimitMs)} or image_digest = any(${runningImages}::text[]))
      and (inputs is null or exists (
        select from jsonb_each_text(inputs) frozen
        where frozen.value <> coalesce(${jsonb(inputs)}::jsonb ->> frozen.key, ${absent})))`);

/** Scans that wait longest, the newest of one cycle first, of any tenant. Role `landfall_system`. */
export const listDue = (query: Query, limit: number): Promise<DueScan[]> =>
  query.list(
    due,
    sql`/* scanner.scans.listDue */
    select tenant, id, rescore_attempts as attempts from scanner.scans where rescore_due_at is not null
    order by rescore_due_at, id desc limit ${limit}`,
  );

/** Counts an attempt before it begins. @returns the number of attempts; undefined where the scan is not due any more */
export const beginAttempt = async (tx: Tx, tenant: TenantId, scan: Id<'Scan'>): Promise<number | undefined> => {
  const row = await tx.find(
    begun,
    sql`/* scanner.scans.beginRescore */
    update scanner.scans set rescore_attempts = rescore_attempts + 1
    where tenant = ${tenant} and id = ${scan} and rescore_due_at is not null
    returning rescore_attempts as attempts`,
  );
  return row?.attempts;
};

/** Puts a scan behind all that wait since before a time. The attempt ended, so it does not count. */
export const postpone = (tx: Tx, tenant: TenantId, scan: Id<'Scan'>, dueAt: Date): Promise<number> =>
  tx.run(sql`/* scanner.scans.postpone */
    update scanner.scans set rescore_due_at = ${dueAt}, rescore_attempts = 0
    where tenant = ${tenant} and id = ${scan} and rescore_due_at is not null`);
