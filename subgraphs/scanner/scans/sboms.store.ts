import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { bytes, integer, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';

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

export const { find, get, insertIfAbsent } = sboms;

export const insertPart = (tx: Tx, tenant: TenantId, digest: string, part: number, content: Uint8Array) =>
  documents.insert(tx, tenant, { digest, part, bytes: content });

/** Part of the gzipped document from 0; undefined after the last. */
export const findPart = (query: Query, tenant: TenantId, digest: string, part: number) =>
  documents.findWhere(query, 'findPart', sql`tenant = ${tenant} and digest = ${digest} and part = ${part}`);
