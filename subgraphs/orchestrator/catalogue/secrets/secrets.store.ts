import type { TenantId } from '@landfall/kernel/core/ids';
import { bytes, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const secrets = table('orchestrator.secrets', { name: text, updatedAt: instant, version: integer });
const sealedSecrets = table('orchestrator.secrets.sealed', { name: text, sealed: bytes });

export type Secret = RowOf<typeof secrets>;
export type SealedSecret = RowOf<typeof sealedSecrets>;

/** Lists the names of secrets. */
export const list = (query: Query, tenant: TenantId) =>
  secrets.listWhere(query, 'list', sql`tenant = ${tenant} order by name`);

/** Lists the existing secrets among `names`, sealed. */
export const listSealed = (query: Query, tenant: TenantId, names: readonly string[]) =>
  sealedSecrets.listWhere(query, 'listSealed', sql`tenant = ${tenant} and name = any(${names}::text[]) order by name`);

/** Inserts a secret or replaces it. */
export const save = (
  tx: Tx,
  tenant: TenantId,
  { name, sealed }: { readonly name: string; readonly sealed: Buffer },
  by: string,
) =>
  tx.get(
    secrets,
    sql`/* orchestrator.secrets.save */
    insert into orchestrator.secrets as known (tenant, name, sealed, created_by, updated_by)
    values (${tenant}, ${name}, ${sealed}, ${by}, ${by})
    on conflict (tenant, name) do update
      set sealed = excluded.sealed, updated_by = excluded.updated_by, updated_at = kernel.now(),
        version = known.version + 1
    returning ${secrets.columns}`,
  );
