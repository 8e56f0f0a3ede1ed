import { bytes, id, instant, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const certificates = table('registry.certificates', {
  id: id('RegistryCertificate'),
  kind: oneOf('authority', 'leaf'),
  keyId: text,
  certificate: bytes,
  sealedPrivate: bytes.nullable(),
  notBefore: instant,
  notAfter: instant,
  authorityId: id('RegistryCertificate').nullable(),
});

export type CertificateRow = RowOf<typeof certificates>;

/** Current authority and leaf, at most one each. */
export const current = (query: Query): Promise<CertificateRow[]> =>
  certificates.listWhere(query, 'current', sql`state = 'current'`);

/** Inserts the current certificate of its kind, unless another process did. */
export const insert = (tx: Tx, row: CertificateRow): Promise<number> =>
  tx.run(sql`/* registry.certificates.insert */
    insert into registry.certificates
      (id, kind, state, key_id, certificate, sealed_private, not_before, not_after, authority_id)
    values (${row.id}, ${row.kind}, 'current', ${row.keyId}, ${row.certificate}, ${row.sealedPrivate}, ${row.notBefore},
      ${row.notAfter}, ${row.authorityId})
    on conflict (kind) where state = 'current' do nothing`);

/** Retires exactly this certificate: of two processes at once one succeeds. */
export const retire = (tx: Tx, values: CertificateRow['id']): Promise<number> =>
  tx.run(sql`/* registry.certificates.retire */
    update registry.certificates set state = 'retired' where id = ${values} and state = 'current'`);

export const prune = (query: Query): Promise<number> =>
  certificates.removeWhere(query, 'prune', sql`kind = 'leaf' and state = 'retired' and not_after < kernel.now()`);
