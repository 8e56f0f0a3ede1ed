import { instant } from '../db/columns.ts';
import type { Query, Tx } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

const idle = table('kernel.schedules.idle', { lastRunAt: instant.nullable(), now: instant });
const leased = table('kernel.schedules.leased', { leaseUntil: instant });

/** Inserts the row of a job that has never run. */
export const ensure = (tx: Tx, name: string): Promise<number> =>
  tx.run(sql`/* kernel.schedules.insert */
    insert into kernel.schedules (name, lease_until) values (${name}, kernel.now()) on conflict (name) do nothing`);

/** Locks a duty, unless it is leased or locked. */
export const lockIdle = (tx: Tx, name: string) =>
  tx.find(
    idle,
    sql`/* kernel.schedules.lockIdle */
    select last_run_at, kernel.now() as now from kernel.schedules
    where name = ${name} and lease_until <= kernel.now()
    for update skip locked`,
  );

/**
 * Leases the job.
 * @returns the end of the lease, in whole milliseconds, so that `settle` can compare it exactly
 */
export const lease = async (tx: Tx, name: string, leaseMs: number): Promise<Date> =>
  (
    await tx.get(
      leased,
      sql`/* kernel.schedules.lease */
      update kernel.schedules
      set lease_until = date_trunc('milliseconds', kernel.now()) + make_interval(secs => ${leaseMs / 1000})
      where name = ${name}
      returning lease_until`,
    )
  ).leaseUntil;

/** Ends a lease after its run; a lease that another process has taken over stays. */
export const settle = (query: Query, name: string, leaseUntil: Date): Promise<number> =>
  query.run(sql`/* kernel.schedules.settle */
    update kernel.schedules set last_run_at = kernel.now(), lease_until = kernel.now()
    where name = ${name} and lease_until = ${leaseUntil}`);
