import { boolean, text } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const changed = table('scanner.observed_inputs changed', { role: text, isNew: boolean });

/**
 * Records the digests of inputs in force, of the installation (`*`) or of a tenant. Role `landfall_system`.
 * @returns the roles whose digest is another one than recorded
 */
export const observe = (tx: Tx, owner: string, digests: Readonly<Record<string, string>>) =>
  tx.list(
    changed,
    sql`/* scanner.observed_inputs.observe */
    insert into scanner.observed_inputs as known (tenant, role, digest)
    select ${owner}, role, digest
    from unnest(${Object.keys(digests)}::text[], ${Object.values(digests)}::text[]) as given (role, digest)
    on conflict (tenant, role) do update set digest = excluded.digest, observed_at = kernel.now()
      where known.digest <> excluded.digest
    returning role, xmax = 0 as is_new`,
  );
