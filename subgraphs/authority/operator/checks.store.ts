import { double } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const ages = table('keys ages', { days: double });

/** Age in days of the key that signs access tokens; undefined before the first one. */
export const tokenKeyAge = (query: Query) =>
  query.find(
    ages,
    sql`/* doctor.tokenKeyAge */
    select (extract(epoch from kernel.now() - since) / 86400)::float8 as days
    from authority.signing_keys where state = 'current'`,
  );
