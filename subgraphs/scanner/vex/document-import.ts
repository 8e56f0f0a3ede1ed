import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Ids, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { MAX_DOCUMENT, type ReadDocument, readDocument } from './document-reading.ts';
import { checkSignature } from './signature-check.ts';
import * as contents from './vex-contents.store.ts';
import * as store from './vex-documents.store.ts';
import * as sources from './vex-sources.store.ts';

/** Problems of a document that are stored; all are counted. */
const STORED_PROBLEMS = 100;

const pack = promisify(gzip);

interface PreparedDocument extends ReadDocument {
  readonly packed: Buffer;
}

const storeContents = async (
  tx: Tx,
  tenant: TenantId,
  { document, bytes, packed }: PreparedDocument,
): Promise<void> => {
  const { format, digest: identity, issuedAt, statements, problems } = document;
  const stored = await contents.insertIfAbsent(tx, tenant, {
    digest: identity,
    format,
    issuedAt: issuedAt === null ? null : new Date(issuedAt),
    statementCount: statements.length,
    problemCount: problems.length,
    problems: problems.slice(0, STORED_PROBLEMS),
    size: bytes.length,
    bytes: packed,
  });
  if (!stored) return;
  const own = statements.map(({ documentDigest: _, ...statement }) => statement);
  await contents.insertStatements(tx, tenant, identity, own);
};

/** Reads a document before the transaction that stores it. @throws Fault VAL_* */
export const prepareDocument = async (text: string): Promise<PreparedDocument> => {
  if (text.length > MAX_DOCUMENT)
    throw new Fault('VAL_TOO_LONG', `The document is longer than ${MAX_DOCUMENT} characters.`);
  const read = await readDocument(text);
  return { ...read, packed: await pack(read.bytes) };
};

/** Registered source of a name, locked. @throws Fault RES_NOT_FOUND */
export const getSource = async (tx: Tx, tenant: TenantId, name: string): Promise<sources.VexSource> => {
  const source = await sources.findLockedByName(tx, tenant, name);
  if (source) return source;
  throw new Fault('RES_NOT_FOUND', `There is no VEX source ${name}. Register it first.`, { source: name });
};

/** Adds a document to a source. The same bytes again change nothing but the trust, which a signature may raise. */
export const storeDocument = async (
  tx: Tx,
  who: Who,
  ids: Ids,
  {
    source,
    prepared,
    signature,
  }: {
    readonly source: sources.VexSource;
    readonly prepared: PreparedDocument;
    readonly signature?: string | undefined;
  },
): Promise<{ readonly document: store.ListedDocument; readonly isNew: boolean }> => {
  const { tenant, subject } = who;
  const { digest: identity } = prepared.document;
  const check = checkSignature(prepared, source, signature);
  const known = await store.findOfSource(tx, tenant, source.id, identity);
  const isRaised = check.signerKeyId !== null && known?.signerKeyId !== check.signerKeyId;
  if (known && !isRaised) return { document: await store.get(tx, tenant, known.id), isNew: false };
  if (!known) await storeContents(tx, tenant, prepared);
  const id = known?.id ?? toId(ids.uuid(), 'VexDocument');
  if (!known)
    await store.insert(tx, tenant, { id, sourceId: source.id, digest: identity, ...check, importedBy: subject });
  else if (check.signerKeyId !== null) await store.setVerified(tx, tenant, id, check.signerKeyId);
  const document = await store.get(tx, tenant, id);
  const { version } = await sources.update(tx, tenant, source.id, { rank: source.rank });
  const { format, trust, statementCount, problemCount } = document;
  const data = {
    source: source.name,
    digest: identity,
    format,
    trust,
    signature: check.signature,
    statementCount,
    problemCount,
  };
  await event(tx, who, 'vexDocument.import', { entity: 'VexSource', id: source.id, version, data });
  return { document, isNew: !known };
};
