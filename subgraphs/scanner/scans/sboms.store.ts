import type { TenantId } from '@landfall/kernel/core/ids';
import { bytes, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export const SBOM_FORMATS = ['cyclonedx', 'spdx'] as const;

const sboms = table(
  'scanner.sboms',
  {
    digest: text,
    format: oneOf(...SBOM_FORMATS),
    subjectName: text.nullable(),
    subjectVersion: text.nullable(),
    subjectPurl: text.nullable(),
  },
  { noun: 'bill of materials', key: 'digest' },
);

const documents = table('scanner.documents', { digest: text, part: integer, bytes });

/** Bill of materials that was received. */
export type StoredSbom = RowOf<typeof sboms>;

export const { find, get } = sboms;

/** Stores what describes a bill, or notes that the same bill was received again. */
export const upsert = (tx: Tx, tenant: TenantId, sbom: StoredSbom): Promise<number> =>
  tx.run(sql`/* scanner.sboms.upsert */
    insert into scanner.sboms (tenant, digest, format, subject_name, subject_version, subject_purl)
    values (${tenant}, ${sbom.digest}, ${sbom.format}, ${sbom.subjectName}, ${sbom.subjectVersion}, ${sbom.subjectPurl})
    on conflict (tenant, digest) do update set received_at = kernel.now()`);

/** Deletes bills, with their parts, that no scan refers to and that were received before a time. Role `landfall_system`. */
export const removeUnused = (tx: Tx, olderThanMs: number, limit: number): Promise<number> =>
  tx.run(sql`/* scanner.sboms.removeUnused */
    delete from scanner.sboms where (tenant, digest) in (
      select tenant, digest from scanner.sboms b
      where received_at < ${fromNow(-olderThanMs)}
        and not exists (select from scanner.scans s where s.tenant = b.tenant and s.sbom_digest = b.digest)
      limit ${limit})
      and received_at < ${fromNow(-olderThanMs)}`);

export const insertPart = (tx: Tx, tenant: TenantId, digest: string, part: number, content: Uint8Array) =>
  documents.insert(tx, tenant, { digest, part, bytes: content });

export const hasParts = (query: Query, tenant: TenantId, digest: string): Promise<boolean> =>
  documents.existsWhere(query, 'exists', sql`tenant = ${tenant} and digest = ${digest}`);

/** Part of the gzipped document from 0; undefined after the last. */
export const findPart = (query: Query, tenant: TenantId, digest: string, part: number) =>
  documents.findWhere(query, 'findPart', sql`tenant = ${tenant} and digest = ${digest} and part = ${part}`);
