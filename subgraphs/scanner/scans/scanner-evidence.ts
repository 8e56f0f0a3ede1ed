import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { EvidenceReader, EvidenceReaders } from '@landfall/kernel/module';
import { DEFAULT_SBOM_LIMITS } from '../sbom/sbom.ts';
import { readVexDocument } from '../vex/vex-evidence.ts';
import * as sboms from './sboms.store.ts';
import * as store from './scans.store.ts';

const unpack = promisify(gunzip);

/** Bytes of a stored document; undefined once they are gone. */
const readDocument = async (query: Query, tenant: TenantId, digest: string): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  for (let part = 0; ; part++) {
    const found = await sboms.findPart(query, tenant, digest, part);
    if (!found) break;
    parts.push(found.bytes);
  }
  return parts.length === 0 ? undefined : unpack(Buffer.concat(parts), { maxOutputLength: DEFAULT_SBOM_LIMITS.bytes });
};

/** Bill of materials of a completed scan, as evidence of the scan. */
const readBill: EvidenceReader = async (query, tenant, { entityId }) => {
  const scan = await store.get(query, tenant, toId(entityId, 'Scan'));
  const content = await readDocument(query, tenant, scan.sbomDigest);
  if (!content) return undefined;
  const { imageDigest, subjectPurl, subjectName, sbomDigest } = scan;
  const name = subjectName ?? 'image';
  return {
    bomRef: imageDigest === null ? (subjectPurl ?? name) : `pkg:oci/${name}@${imageDigest}`,
    serialNumber: sbomDigest,
    content,
    references: [{ kind: 'Scan', id: scan.id }],
    ...(imageDigest !== null && { images: [imageDigest] }),
  };
};

/** Documents of the scanner as evidence, by the event that announces them. */
export const scannerEvidence: EvidenceReaders = new Map([
  ['scan.complete', readBill],
  ['vexDocument.import', readVexDocument],
]);
