import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const bundles = table('scanner.proof_bundles', {
  scanId: id('Scan'),
  /** Number of the freeze that the bundle proves. */
  freezeNumber: integer,
  rootHash: text,
  bundleType: oneOf('score'),
  bundleHash: text,
  path: text,
  freezeTimestamp: instant,
  createdAt: instant,
  expiresAt: instant.nullable(),
});

export type ProofBundle = RowOf<typeof bundles>;

export const { insertIfAbsent } = bundles;

/** Bundle with a root; without a root the newest. */
export const find = (
  query: Query,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  rootHash: string | undefined,
): Promise<ProofBundle | undefined> =>
  bundles.findWhere(
    query,
    'find',
    sql`tenant = ${tenant} and scan_id = ${scanId} and (${rootHash ?? null}::text is null or root_hash = ${rootHash ?? null})
      order by created_at desc, root_hash limit 1`,
  );

/** Bundles of each scan, the newest first, at most `limit` of one scan. */
export const listByScans = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
  limit: number,
): Promise<ProofBundle[]> =>
  query.list(
    bundles,
    sql`/* scanner.proof_bundles.listByScans */
    select ${bundles.of('b')}
    from unnest(${scanIds}::uuid[]) as asked (scan_id)
    cross join lateral (
      select * from scanner.proof_bundles
      where tenant = ${tenant} and scan_id = asked.scan_id
      order by created_at desc, root_hash
      limit ${limit}
    ) b
    order by b.scan_id, b.created_at desc, b.root_hash`,
  );

/** Deletes the rows of bundles whose file a bundle replaced. */
export const removeReplaced = (
  tx: Tx,
  tenant: TenantId,
  { scanId, path, rootHash }: Pick<ProofBundle, 'scanId' | 'path' | 'rootHash'>,
): Promise<number> =>
  bundles.removeWhere(
    tx,
    'removeReplaced',
    sql`tenant = ${tenant} and scan_id = ${scanId} and path = ${path} and root_hash <> ${rootHash}`,
  );
