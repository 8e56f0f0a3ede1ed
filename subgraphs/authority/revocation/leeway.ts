import { sql } from '@landfall/kernel/db/sql';

/** Extra time a token stays denied after its expiry, since verifiers tolerate clock differences. */
export const LEEWAY_MS = 300_000;

export const LEEWAY = sql`interval '5 minutes'`;
