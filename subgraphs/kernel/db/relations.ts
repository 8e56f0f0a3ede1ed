import { boolean } from './columns.ts';
import type { Query } from './query.ts';
import { sql } from './sql.ts';
import { table } from './table.ts';

const existence = table('relation', { exists: boolean });

/** Whether the database has a table: a role without its module may start before the first one with it. */
export const hasTable = async (query: Query, name: string): Promise<boolean> =>
  (await query.get(existence, sql`/* kernel.relations.hasTable */ select to_regclass(${name}) is not null as exists`))
    .exists;
