import type { TenantId } from '@landfall/kernel/core/ids';
import { integer, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
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

/** Stored commits between two revisions, as a forge answered them. */
export type StoredRange = RowOf<typeof ranges>;

/** Commits of a range: those that come with its end, or those that go. */
export interface Range extends CommitList {
  readonly direction: StoredRange['direction'];
}

/** Lists the stored ranges among the requested ones. */
export const listStored = (query: Query, tenant: TenantId, keys: readonly CommitRange[]) =>
  ranges.listWhere(
    query,
    'listStored',
    sql`tenant = ${tenant} and (source, from_revision, to_revision) in (select * from unnest(
      ${keys.map(({ repository }) => repository.key)}::text[], ${keys.map(({ from }) => from)}::text[],
      ${keys.map(({ to }) => to)}::text[]))`,
  );

/** Inserts a range; one that another request inserted meanwhile stays. */
export const insertRange = (
  tx: Tx,
  tenant: TenantId,
  { commits, ...range }: Omit<StoredRange, 'commits'> & CommitList,
) => ranges.insertIfAbsent(tx, tenant, { ...range, commits: [...commits] });

/** Deletes the ranges of all tenants that were read so many days ago. */
export const pruneCommitRanges = (tx: Tx, days: number) =>
  tx.run(sql`/* orchestrator.commit_ranges.pruneCommitRanges */
    delete from orchestrator.commit_ranges where read_at < kernel.now() - make_interval(days => ${days})`);
