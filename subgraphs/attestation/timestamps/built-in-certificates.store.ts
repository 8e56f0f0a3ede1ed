import { bytes, instant, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const chains = table('orchestrator.timestamp_chains', { keyId: text, certificate: bytes, root: bytes });

export type ChainRow = RowOf<typeof chains>;

// One row for the installation and key, without a tenant: role landfall_system.

export const list = (query: Query): Promise<ChainRow[]> =>
  query.list(
    chains,
    sql`/* orchestrator.timestamp_chains.list */
    select ${chains.columns} from orchestrator.timestamp_chains order by created_at, key_id`,
  );

/** Stores a chain, unless another process created one for the same key first. */
export const insert = (tx: Tx, { keyId, certificate, root }: ChainRow): Promise<number> =>
  tx.run(sql`/* orchestrator.timestamp_chains.insert */
    insert into orchestrator.timestamp_chains (key_id, certificate, root)
    values (${keyId}, ${certificate}, ${root}) on conflict do nothing`);

const clock = table('orchestrator.timestamp_clock', { now: instant });

/** Reads the database's time in whole seconds, like the validity periods of the platform's keys. */
export const getTime = async (query: Query): Promise<Date> => {
  const { now } = await query.get(
    clock,
    sql`/* orchestrator.timestamp_chains.getTime */ select date_trunc('second', kernel.now()) as now`,
  );
  return now;
};
