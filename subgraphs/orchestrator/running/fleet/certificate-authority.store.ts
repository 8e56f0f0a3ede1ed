import { bytes, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const authorities = table('orchestrator.agent_authorities', { certificate: text, sealedKey: bytes });

export type StoredAuthority = RowOf<typeof authorities>;

// One row for the installation, without a tenant: role landfall_system.

export const find = (query: Query) =>
  query.find(
    authorities,
    sql`/* orchestrator.certificate_authority.find */
    select ${authorities.columns} from orchestrator.agent_authorities where id = 1`,
  );

/** Inserts the certificate authority, unless another process did so first. */
export const insert = (tx: Tx, { certificate, sealedKey }: StoredAuthority) =>
  tx.run(sql`/* orchestrator.certificate_authority.insert */
    insert into orchestrator.agent_authorities (id, certificate, sealed_key)
    values (1, ${certificate}, ${sealedKey}) on conflict do nothing`);
