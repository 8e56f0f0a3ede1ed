import { boolean, instant, integer, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { SHARED } from './shared-tenant.ts';

const feeds = table('scanner.feeds current', {
  role: text,
  digest: text,
  records: integer,
  /** Ecosystems of its advisories, releases included; null for a feed of anything else. */
  ecosystems: textArray.nullable(),
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
    select f.role, f.digest, f.records, f.ecosystems, c.published_at, c.captured_at
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
  /** Ecosystems of its advisories, releases included; a feed of anything else has none. */
  readonly ecosystems?: readonly string[];
}

/** Puts a capture in force. A digest that was captured before keeps its dates. */
export const capture = async (tx: Tx, { role, digest, records, publishedAt, ecosystems }: Capture): Promise<void> => {
  await tx.run(sql`/* scanner.feed_captures.insert */
    insert into scanner.feed_captures (tenant, role, digest, published_at)
    values (${SHARED}, ${role}, ${digest},
      date_trunc('second', least(${publishedAt}::timestamptz, kernel.now())))
    on conflict (tenant, role, digest) do nothing`);
  await tx.run(sql`/* scanner.feeds.upsert */
    insert into scanner.feeds (tenant, role, digest, records, ecosystems)
    values (${SHARED}, ${role}, ${digest}, ${records}::integer, ${ecosystems ?? null}::text[])
    on conflict (tenant, role) do update set digest = excluded.digest, records = excluded.records,
      ecosystems = excluded.ecosystems, updated_at = kernel.now()
    where feeds.digest <> excluded.digest`);
};

const changes = table('scanner.feed_changes', { family: text });

/** Notes that advisories of ecosystems were written, whose feeds have no new state yet. */
export const noteChanges = (tx: Tx, families: readonly string[]): Promise<number> =>
  tx.run(sql`/* scanner.feed_changes.insertAll */
    insert into scanner.feed_changes (tenant, family)
    select ${SHARED}, family from unnest(${families}::text[]) as given (family)
    on conflict do nothing`);

/** Ecosystems whose feeds have no new state yet, also those of imports that were killed. */
export const listChanges = async (query: Query): Promise<string[]> => {
  const rows = await changes.listWhere(query, 'list', sql`tenant = ${SHARED} order by family`);
  return rows.map(({ family }) => family);
};

export const endChange = (tx: Tx, family: string): Promise<number> =>
  changes.removeWhere(tx, 'remove', sql`tenant = ${SHARED} and family = ${family}`);

const ecosystems = table('scanner.advisory_packages of a feed', { ecosystem: text });

/** Ecosystems of the advisories of a family, releases included. */
export const listEcosystems = async (query: Query, family: string): Promise<string[]> => {
  const rows = await query.list(
    ecosystems,
    sql`/* scanner.advisory_packages.listOfFamily */
    select distinct ecosystem from scanner.advisory_packages
    where tenant = ${SHARED} and split_part(ecosystem, ':', 1) = ${family}
    order by ecosystem`,
  );
  return rows.map(({ ecosystem }) => ecosystem);
};

const coverage = table('scanner.feeds coverage', { isCovered: boolean });

/** Whether one of some feeds has advisories of one of some ecosystems, by their keys. */
export const coversAny = async (query: Query, roles: readonly string[], keys: readonly string[]): Promise<boolean> => {
  const { isCovered } = await query.get(
    coverage,
    sql`/* scanner.feeds.coversAny */
    select exists (
      select from scanner.feeds
      where tenant = ${SHARED} and role = any(${roles}::text[]) and (ecosystems is null or ecosystems && ${keys}::text[])
    ) as is_covered`,
  );
  return isCovered;
};

/** Serialises imports of feeds until the transaction ends. */
export const lockImports = (tx: Tx): Promise<number> =>
  tx.run(sql`/* scanner.feeds.lockImports */ select pg_advisory_xact_lock(hashtext('scanner.feeds'))`);
