import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { digest } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { MAX_DOCUMENT, type ReadDocument, readDocument } from './document-reading.ts';
import { checkSignature } from './signature-check.ts';
import * as contents from './vex-contents.store.ts';
import * as store from './vex-documents.store.ts';
import * as sources from './vex-sources.store.ts';

/** Problems of a document that are stored; all are counted. */
const STORED_PROBLEMS = 100;

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

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

const EXAMPLE = JSON.stringify({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://supplier.example/vex/1',
  author: 'Supplier',
  timestamp: '2026-01-01T00:00:00Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: 'CVE-2026-1000' },
      products: [{ '@id': 'pkg:npm/gate' }],
      status: 'not_affected',
      justification: 'vulnerable_code_not_present',
    },
  ],
});

/** Creates the operations on VEX documents of registered sources. */
export const createVexDocuments = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  /** Adds a document to a source. The same bytes again change nothing but the trust, which a signature may raise. */
  import: operation({
    name: 'vexDocument.import',
    kind: 'write',
    // A hub is imported again and again: a document that is known writes no event.
    isBeat: true,
    cost: 10,
    scope: SCANS_WRITE,
    input: Type.Object({
      /** Name of a registered source. */
      source: Type.String({ minLength: 1, maxLength: 64 }),
      document: Type.String({ minLength: 1 }),
      signature: Type.Optional(Type.String({ minLength: 1, maxLength: 8_192 })),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { source: 'vendor', document: EXAMPLE },
    async prepare(_who, { document }): Promise<PreparedDocument> {
      if (document.length > MAX_DOCUMENT)
        throw new Fault('VAL_TOO_LONG', `The document is longer than ${MAX_DOCUMENT} characters.`);
      const read = await readDocument(document);
      return { ...read, packed: await pack(read.bytes) };
    },
    async run(who, { source: name, signature: detached }, tx, prepared) {
      const { tenant, subject } = who;
      const source = await sources.findLockedByName(tx, tenant, name);
      if (!source)
        throw new Fault('RES_NOT_FOUND', `There is no VEX source ${name}. Register it first.`, { source: name });
      const { digest: identity } = prepared.document;
      const check = checkSignature(prepared, source, detached);
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
        source: name,
        digest: identity,
        format,
        trust,
        signature: check.signature,
        statementCount,
        problemCount,
      };
      await event(tx, who, 'vexDocument.import', { entity: 'VexSource', id: source.id, version, data });
      return { document, isNew: !known };
    },
  }),

  list: operation({
    name: 'vexDocument.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ ...pageFields, sourceId: idOf('VexSource') }),
    raises: ['RES_NOT_FOUND'],
    example: { sourceId: exampleId('VexSource') },
    async run({ tenant }, { sourceId, ...page }, query) {
      await sources.get(query, tenant, sourceId);
      return readPage(page, (bounds) => store.list(query, tenant, sourceId, bounds));
    },
  }),

  get: operation({
    name: 'vexDocument.get',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ id: idOf('VexDocument') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('VexDocument') },
    run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
  }),

  /** Number of documents of some sources, and of what they contain; none for a source without a document. */
  totals: operation({
    name: 'vexDocument.listTotals',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ sourceIds: Type.Array(idOf('VexSource'), { maxItems: sources.MAX_SOURCES }) }),
    example: { sourceIds: [exampleId('VexSource')] },
    run: ({ tenant }, { sourceIds }, query) => store.listTotals(query, tenant, sourceIds),
  }),

  /** Text of a document, also of one that is in force no more. */
  text: operation({
    name: 'vexDocument.text',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ digest }),
    raises: ['RES_NOT_FOUND'],
    example: { digest: sha256(exampleId('VexDocument')) },
    async run({ tenant }, { digest: identity }, query) {
      const found = await contents.findBytes(query, tenant, identity);
      if (!found) throw new Fault('RES_NOT_FOUND', `There is no VEX document ${identity}.`, { digest: identity });
      return (await unpack(found.bytes)).toString();
    },
  }),
});

export type VexDocuments = ReturnType<typeof createVexDocuments>;
