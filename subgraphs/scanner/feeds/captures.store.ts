import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { instant, integer, type RowOf, table, text } from '@landfall/kernel/db/table';
import { SHARED } from './shared-tenant.ts';

const feeds = table('scanner.feeds current', {
  role: text,
  digest: text,
  records: integer,
  publishedAt: instant,
  capturedAt: instant,
});

/** State of a feed that is in force. */
export type Feed = RowOf<typeof feeds>;

/** Feeds in force, by role. */
export const listCurrent = (query: Query): Promise<Feed[]> =>
  query.list(
    feeds,
    sql`/* scanner.feeds.listCurrent */
    select f.role, f.digest, f.records, c.published_at, c.captured_at
    from scanner.feeds f
    join scanner.feed_captures c on c.tenant = f.tenant and c.role = f.role and c.digest = f.digest
    where f.tenant = ${SHARED}
    order by f.role`,
  );

export interface Capture {
  readonly role: string;
  readonly digest: string;
  readonly records: number;
  /** RFC 3339; null where the feed has no date. */
  readonly publishedAt: string | null;
}

/** Puts a capture in force. A digest that was captured before keeps its dates. */
export const capture = async (tx: Tx, { role, digest, records, publishedAt }: Capture): Promise<void> => {
  await tx.run(sql`/* scanner.feed_captures.insert */
    insert into scanner.feed_captures (tenant, role, digest, published_at)
    values (${SHARED}, ${role}, ${digest},
      date_trunc('second', least(${publishedAt}::timestamptz, kernel.now())))
    on conflict (tenant, role, digest) do nothing`);
  await tx.run(sql`/* scanner.feeds.upsert */
    insert into scanner.feeds (tenant, role, digest, records) values (${SHARED}, ${role}, ${digest}, ${records}::integer)
    on conflict (tenant, role) do update set
      digest = excluded.digest, records = excluded.records, updated_at = kernel.now()
    where feeds.digest <> excluded.digest`);
};

/** Serialises imports of feeds until the transaction ends. */
export const lockImports = (tx: Tx): Promise<number> =>
  tx.run(sql`/* scanner.feeds.lockImports */ select pg_advisory_xact_lock(hashtext('scanner.feeds'))`);
