import type { Query } from './query.ts';
import { sql } from './sql.ts';

/** Asks the database for a sign of life. Throws SYS_DATABASE_ERROR where there is none. */
export const ping = (query: Query): Promise<number> => query.run(sql`/* kernel.ping */ select 1`);
