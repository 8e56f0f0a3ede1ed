import type { TenantId } from '@landfall/kernel/core/ids';
import { type Digest, parseDigest } from '@landfall/kernel/crypto/digest';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type VexDocument, vexSetHash } from '../score/vex-set.ts';
import { listInForce } from './vex-documents.store.ts';
import * as store from './vex-sets.store.ts';

const EMPTY_SET = vexSetHash([]);

/** Documents of a tenant that are in force, with the trust and rank that their sources have now. */
export const currentDocuments = async (query: Query, tenant: TenantId): Promise<readonly VexDocument[]> =>
  (await listInForce(query, tenant)).map((document) => ({ ...document, digest: parseDigest(document.digest) }));

/** Hash of the documents in force: a scan whose manifest pins another one is scored by other statements. */
export const vexSetDigest = async (query: Query, tenant: TenantId): Promise<Digest> =>
  vexSetHash(await currentDocuments(query, tenant));

/** Stores the documents that a manifest pins by their hash, so that its score can be replayed. */
export const storeDocuments = async (tx: Tx, tenant: TenantId, documents: readonly VexDocument[]): Promise<void> => {
  if (documents.length > 0) await store.insertIfAbsent(tx, tenant, { hash: vexSetHash(documents), documents });
};

/** Documents that a manifest pins; undefined where only their hash is known. */
export const pinnedDocuments = async (
  query: Query,
  tenant: TenantId,
  hash: string,
): Promise<readonly VexDocument[] | undefined> =>
  hash === EMPTY_SET ? [] : (await store.findByHash(query, tenant, hash))?.documents;
