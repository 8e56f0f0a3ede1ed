import { boolean } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

const presence = table('pg_class exists', { isThere: boolean });

/** Whether the database has a table, by its qualified name. */
export const get = (query: Query, name: string) =>
  query.get(presence, sql`/* doctor.isThere */ select to_regclass(${name}) is not null as is_there`);
