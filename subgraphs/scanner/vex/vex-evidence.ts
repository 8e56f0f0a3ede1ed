import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { EvidenceReader } from '@landfall/kernel/module';
import * as contents from './vex-contents.store.ts';

const unpack = promisify(gunzip);

/** VEX document that was imported for a source, as evidence. */
export const readVexDocument: EvidenceReader = async (query, tenant, { entityId, data: { digest } }) => {
  const found = typeof digest === 'string' ? await contents.findBytes(query, tenant, digest) : undefined;
  if (!found) return undefined;
  return {
    bomRef: `landfall:vex-source:${entityId}`,
    serialNumber: String(digest),
    content: await unpack(found.bytes),
    references: [],
  };
};
