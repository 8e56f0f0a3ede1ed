import { Fault } from '@landfall/kernel/core/fault';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { splitChunk } from '../corpus/chunking.ts';
import type { Corpus } from '../corpus/corpus.ts';
import { FORMATS, type Rejection } from '../importers/reader.ts';
import { SCOPES, searchOperations } from '../shared/operations.ts';
import * as store from './imports.store.ts';
import { isSource, REPLACE_NEEDS_SOURCE } from './imports.ts';
import { createUploadReader } from './upload-thread.ts';

const LISTED = 20;
/** Upper bound of a file's UTF-16 units in a GraphQL request, quotes included. */
const MAX_CONTENT = 900_000;

const importOf = (row: store.ImportRow, refused: readonly Rejection[] = []) => {
  const { tenant: _, refused: refusedCount, ...rest } = row;
  return { ...rest, refusedCount, refused };
};

export const createCorpusOperations = (
  { operation: creator, ids }: Pick<Deps, 'operation' | 'ids'>,
  corpus: Corpus,
) => {
  const operation = searchOperations(creator);
  const read = createUploadReader();
  return {
    summary: operation({
      name: 'searchCorpus.list',
      kind: 'read',
      scope: SCOPES.operate,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => corpus.summaryIn(query, tenant),
    }),

    imports: operation({
      name: 'searchImport.list',
      kind: 'read',
      scope: SCOPES.operate,
      input: Type.Object({}),
      run: async ({ tenant }, _input, query) =>
        (await store.listLatest(query, tenant, LISTED)).map((row) => importOf(row)),
    }),

    importDocuments: operation({
      name: 'search.import',
      cost: 2_000,
      kind: 'write',
      scope: SCOPES.admin,
      input: Type.Object({
        fileName: freeText(500),
        content: Type.String({ maxLength: MAX_CONTENT }),
        format: Type.Optional(oneOf(...FORMATS)),
        source: Type.Optional(Type.String({ maxLength: 64 })),
        replace: Type.Optional(Type.Boolean()),
      }),
      example: {
        fileName: 'advisory.json',
        content: '{"id":"EX-1","modified":"2026-01-01T00:00:00Z","summary":"An example"}',
      },
      async prepare({ tenant }, input) {
        if (input.source !== undefined && !isSource(input.source))
          throw new Fault('VAL_INVALID_VALUE', `No documents can be imported as '${input.source}'.`, undefined, [
            { field: 'source', message: 'is another name, or the platform’s own', code: 'VAL_INVALID_VALUE' },
          ]);
        if (input.replace && input.source === undefined)
          throw new Fault('VAL_INVALID_VALUE', REPLACE_NEEDS_SOURCE, undefined, [
            { field: 'source', message: 'is named where the file replaces it', code: 'VAL_INVALID_VALUE' },
          ]);
        return read(tenant, input);
      },
      async run(caller, { replace = false, ...input }, tx, { documents, refusals, refused }) {
        const importId = ids.uuid();
        await corpus.putIn(tx, caller.tenant, documents, importId);
        const sources = [...new Set(documents.map(({ source }) => source))].toSorted();
        let removed = await corpus.removeRestatedIn(tx, caller.tenant, sources);
        // With a refused file nothing is removed: its documents may be among those to remove.
        if (replace && refused === 0)
          for (const source of sources) removed += await corpus.sweepIn(tx, caller.tenant, source, importId);
        const counts = {
          documents: documents.length,
          chunks: documents.reduce((sum, document) => sum + splitChunk(document).length, 0),
          refused,
          removed,
        };
        const named = input.source ?? (sources.join(', ') || (input.format ?? 'unknown'));
        const row = await store.insertCompleted(tx, caller.tenant, importId, named, counts);
        const data = { ...counts, source: named, state: 'completed' };
        await event(tx, caller, 'search.import', { entity: 'SearchImport', id: importId, version: 1, data });
        return importOf(row, refusals);
      },
    }),
  };
};

export type CorpusOperations = ReturnType<typeof createCorpusOperations>;
