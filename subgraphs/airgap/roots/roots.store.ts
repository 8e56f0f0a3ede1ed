import { instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

/** Tenant of roots: they belong to the installation. */
const SHARED = '*';

const kitRoots = table('airgap.kit_roots', {
  version: integer,
  digest: text,
  envelope: text,
  installedBy: text,
  installedAt: instant,
});

export type StoredRoot = RowOf<typeof kitRoots>;

/** Root that is installed: the one of the highest version. */
export const findCurrent = async (query: Query): Promise<StoredRoot | undefined> =>
  kitRoots.findWhere(query, 'findCurrent', sql`tenant = ${SHARED} order by version desc limit 1`);

/** Roots that a site can have: one a day for years. */
const MAX_ROOTS = 1_000;

export const listAll = (query: Query): Promise<readonly StoredRoot[]> =>
  kitRoots.listWhere(query, 'listAll', sql`tenant = ${SHARED} order by version desc limit ${MAX_ROOTS}`);

/** Serialises installations of roots until the transaction ends. */
export const lock = (tx: Tx): Promise<number> =>
  tx.run(sql`/* airgap.kit_roots.lock */ select pg_advisory_xact_lock(hashtext('airgap.kit_roots'))`);

export const insert = (
  tx: Tx,
  { version, digest, envelope, installedBy }: Omit<StoredRoot, 'installedAt'>,
): Promise<number> =>
  tx.run(sql`/* airgap.kit_roots.insert */
    insert into airgap.kit_roots (tenant, version, digest, envelope, installed_by)
    values (${SHARED}, ${version}, ${digest}, ${envelope}, ${installedBy})`);
