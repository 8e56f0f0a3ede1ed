import { double } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const ages = table('keys ages', { days: double });

/** Days until the current certificate expires and registries refuse every token, undefined before the first one. */
export const registryCertificateLeft = (query: Query) =>
  query.find(
    ages,
    sql`/* doctor.registryCertificateLeft */
    select (extract(epoch from min(not_after) - kernel.now()) / 86400)::float8 as days
    from registry.certificates where state = 'current' having min(not_after) is not null`,
  );
