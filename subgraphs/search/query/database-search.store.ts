import { count, double, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { join, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { SHARED } from '../corpus/chunk.ts';
import type { LaneFilters } from '../fts/lane.ts';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';

const candidates = table('search.chunks candidates', {
  chunkId: count,
  domain: oneOf(...DOMAINS),
  entityType: oneOf(...ENTITY_TYPES),
  entityKey: text,
  severity: oneOf(...SEVERITIES).nullable(),
  ecosystem: text.nullable(),
  rank: double,
  coverage: double,
});

export type Candidate = RowOf<typeof candidates>;

/** Chunks of one statement that are ranked at most. */
const MAX_CANDIDATES = 2_000;
const MAX_PER_DOMAIN = 150;
const MAX_EXACT = 200;

/** Limits statements of this transaction to `ms` milliseconds and has each planned for its own values. */
export const limitTime = async (tx: Tx, ms: number): Promise<void> => {
  await tx.run(sql`/* search.cold.limitTime */
    select set_config('statement_timeout', ${String(ms)}, true), set_config('plan_cache_mode', 'force_custom_plan', true)`);
};

const ownersOf = (tenant: string, { isTenantScoped }: LaneFilters): string[] =>
  isTenantScoped ? [tenant] : [tenant, SHARED];

const filtersSql = ({ severity, ecosystem, entityType }: LaneFilters): Sql => sql`
  c.removed_at is null
  and (${severity ?? null}::text[] is null or c.severity = any(${severity ?? null}::text[]))
  and (${ecosystem ?? null}::text[] is null or c.ecosystem = any(${ecosystem ?? null}::text[]))
  and (${entityType ?? null}::text[] is null or c.entity_type = any(${entityType ?? null}::text[]))`;

/** Lists chunks with one of these exact names, names of the tenant's documents first. */
export const listNamed = (query: Query, tenant: string, names: readonly string[], filters: LaneFilters) =>
  query.list(
    candidates,
    sql`/* search.cold.listNamed */
    select found.chunk_id, found.domain, found.entity_type, found.entity_key, found.severity, found.ecosystem,
      case when found.identifiers[1] = any(${names}::text[]) then 1 else 0.5 end::float8 as rank, 1::float8 as coverage
    from unnest(${ownersOf(tenant, filters)}::text[]) as owner (name) cross join lateral (
      select * from search.chunks c
      where c.tenant = owner.name and c.identifiers && ${names}::text[] and ${filtersSql(filters)}
        and c.domain = any(${filters.domains ?? DOMAINS}::text[])
      limit ${MAX_CANDIDATES}) found
    order by rank desc, found.chunk_id limit ${MAX_EXACT}`,
  );

export interface QueryToken {
  readonly word: string;
  /** Prefix term of an incomplete word for to_tsquery: `lod:*`. */
  readonly prefix: string | undefined;
}

const conditions = table('search.chunks conditions', { condition: text });

/**
 * Lists the conditions of words as tsquery, without stop words; words are parsed as plain text, so that none is an
 * operator.
 */
export const listConditions = async (query: Query, words: readonly QueryToken[]): Promise<string[]> =>
  (
    await query.list(
      conditions,
      sql`/* search.cold.listConditions */
      select (plainto_tsquery('english', word) || plainto_tsquery('simple', word)
        || coalesce(to_tsquery('simple', prefix), ''::tsquery))::text as condition
      from unnest(${words.map(({ word }) => word)}::text[], ${words.map(({ prefix }) => prefix ?? null)}::text[])
        with ordinality as t (word, prefix, place)
      where prefix is not null or numnode(plainto_tsquery('english', word)) > 0
      order by place`,
    )
  ).map(({ condition }) => condition);

/** Lists chunks that match all or any terms, best first; at most 2,000 are examined, shared by tenants and domains. */
export const listByTerms = (
  query: Query,
  tenant: string,
  words: readonly string[],
  how: 'all' | 'any',
  filters: LaneFilters,
): Promise<Candidate[]> => {
  const queryWords = sql`${words.map((word) => `(${word})`).join(how === 'all' ? ' & ' : ' | ')}::tsquery`;
  // Each tenant by itself: its number of chunks, and the number that contain the words, decide which index is fastest.
  const ownerCounts = ownersOf(tenant, filters).flatMap((owner) =>
    (filters.domains ?? DOMAINS).map(
      (domain) => sql`(
        select * from search.chunks c
        where c.tenant = ${owner} and c.domain = ${domain} and c.words @@ ${queryWords} and ${filtersSql(filters)}
        limit ${MAX_CANDIDATES})`,
    ),
  );
  return query.list(
    candidates,
    sql`/* search.cold.listByTerms */
    with looked_at as (
      select *, row_number() over (partition by tenant, domain) as place from (${join(ownerCounts, ' union all ')}) found
      order by place limit ${MAX_CANDIDATES}),
    ranked as (select *, ts_rank(words, ${queryWords}, 1)::float8 as rank from looked_at),
    placed as (select *, row_number() over (partition by domain order by rank desc, chunk_id) as standing from ranked)
    select chunk_id, domain, entity_type, entity_key, severity, ecosystem, rank,
      (select count(*) filter (where p.words @@ w.condition::tsquery)::float8 / greatest(count(*), 1)
        from unnest(${words}::text[]) as w (condition)) as coverage
    from placed p where standing <= ${MAX_PER_DOMAIN}
    order by rank desc, chunk_id`,
  );
};
