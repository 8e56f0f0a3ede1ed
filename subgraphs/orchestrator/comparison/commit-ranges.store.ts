import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { integer, json, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { CommitList } from '../catalogue/integrations/forge-api.ts';
import type { CommitRange } from './commit-range.ts';

const nullable = Type.Union([Type.String(), Type.Null()]);

const ranges = table('orchestrator.commit_ranges', {
  source: text,
  fromRevision: text,
  toRevision: text,
  direction: oneOf('added', 'removed'),
  total: integer,
  commits: json(
    Type.Array(
      Type.Object({ id: Type.String(), message: Type.String(), author: nullable, at: nullable, url: nullable }),
    ),
  ),
});

/** Commits between two revisions as a forge answered them. */
export type KeptRange = RowOf<typeof ranges>;

/** Commits of a range: those that come with its end, or those that go. */
export interface Range extends CommitList {
  readonly direction: KeptRange['direction'];
}

/** Lists what was read of these ranges before. */
export const listKept = (query: Query, tenant: TenantId, asked: readonly CommitRange[]) =>
  ranges.listWhere(
    query,
    'listKept',
    sql`tenant = ${tenant} and (source, from_revision, to_revision) in (select * from unnest(
      ${asked.map(({ repository }) => repository.key)}::text[], ${asked.map(({ from }) => from)}::text[],
      ${asked.map(({ to }) => to)}::text[]))`,
  );

/** Keeps a range; one that another request kept meanwhile stays. */
export const keep = (tx: Tx, tenant: TenantId, { commits, ...range }: Omit<KeptRange, 'commits'> & CommitList) =>
  ranges.insertIfAbsent(tx, tenant, { ...range, commits: [...commits] });

/** Deletes ranges that were read so many days ago, of all tenants. */
export const prune = (tx: Tx, days: number) =>
  tx.run(sql`/* orchestrator.commit_ranges.prune */
    delete from orchestrator.commit_ranges where read_at < kernel.now() - make_interval(days => ${days})`);
