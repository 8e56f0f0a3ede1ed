import type { Query } from './query.ts';
import { sql } from './sql.ts';

/** Checks that the database answers. Throws Fault SYS_DATABASE_ERROR if it does not. */
export const ping = (query: Query): Promise<number> => query.run(sql`/* kernel.ping */ select 1`);
