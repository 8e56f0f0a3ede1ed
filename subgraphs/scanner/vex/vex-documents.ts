import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { digest } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { getSource, prepareDocument, storeDocument } from './document-import.ts';
import * as contents from './vex-contents.store.ts';
import * as store from './vex-documents.store.ts';
import * as sources from './vex-sources.store.ts';

const unpack = promisify(gunzip);

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
    prepare: (_who, { document }) => prepareDocument(document),
    async run(who, { source, signature }, tx, prepared) {
      return storeDocument(tx, who, ids, { source: await getSource(tx, who.tenant, source), prepared, signature });
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
