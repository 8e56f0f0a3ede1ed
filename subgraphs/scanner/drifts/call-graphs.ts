import type { Caller, Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { digest } from '@landfall/kernel/operation/input';
import { admit } from '@landfall/kernel/operation/operation';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import Type from 'typebox';
import { listGoAdvisories } from '../feeds/package-lookup.ts';
import { CallGraphError } from '../reachability/call-graph-error.ts';
import { importCallGraph } from '../reachability/reachability-thread.ts';
import type { EncodedGraph } from '../reachability/stored-graph.ts';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import * as store from './call-graphs.store.ts';
import * as drifts from './drifts.store.ts';
import { removeStatements } from './finding-reachability.store.ts';
import type { GraphThreads } from './graph-threads.ts';
import { goModuleOf, parseImport } from './import-request.ts';
import { languageField, languageOf } from './language-input.ts';
import * as scans from './scan-facts.store.ts';

/** Largest document, in bytes. */
export const CALL_GRAPH_BYTES = 256 * 1024 * 1024;

/** Bytes of one part of a stored graph. */
const PART = 1024 * 1024;

interface CallGraphDeps extends Pick<Deps, 'operation' | 'database'> {
  readonly threads: GraphThreads;
}

async function* limited(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limit) throw new BodyTooLarge(`The call graph is larger than ${limit} bytes.`);
    yield chunk;
  }
}

const LIMITS: ReadonlySet<string> = new Set(['too_many_symbols', 'too_many_edges', 'too_many_sinks', 'too_large']);

/** Fault of a document that is refused. */
const asFault = (error: unknown): unknown => {
  if (!(error instanceof CallGraphError)) return error;
  const code = LIMITS.has(error.reason) ? 'VAL_TOO_LONG' : 'VAL_INVALID_VALUE';
  return new Fault(code, error.message, { reason: error.reason }, [], { cause: error });
};

/** Creates the operations on call graphs of scans, and the import of their documents. */
export const createCallGraphs = ({ operation, database, threads }: CallGraphDeps) => {
  const assign = operation({
    name: 'callGraph.import',
    kind: 'write',
    scope: SCANS_WRITE,
    input: Type.Object({ scanId: idOf('Scan'), language: languageField, digest }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan'), digest: sha256('graph') },
    async run(who, { scanId, language: name, digest: received }, tx) {
      const { tenant, subject } = who;
      const language = languageOf(name);
      const { version } = await scans.advanceScan(tx, tenant, scanId);
      const content = await store.findReceived(tx, tenant, received, language);
      if (!content) throw new Fault('RES_NOT_FOUND', `The call graph ${received} was not received.`);
      await store.upsert(tx, tenant, { scanId, language, digest: received, importedBy: subject });
      await removeStatements(tx, tenant, scanId, language);
      await drifts.removeSuperseded(tx, tenant, { scanId, language, digest: received, ...content });
      const data = { language, graphHash: content.graphHash };
      await event(tx, who, 'callGraph.import', { entity: 'Scan', id: scanId, version, data });
      return store.get(tx, tenant, scanId, language);
    },
  });

  const save = ({ tenant }: Who, graph: store.ReceivedGraph, stored: Uint8Array): Promise<void> =>
    database.write(tenant, async (tx) => {
      await store.removeUnused(tx, tenant);
      await store.upsertContent(tx, tenant, graph);
      if (await store.hasParts(tx, tenant, graph.digest)) return;
      for (let part = 0; part * PART < stored.length; part++)
        await store.insertPart(tx, tenant, graph.digest, part, stored.subarray(part * PART, (part + 1) * PART));
    });

  const convert = async (
    { tenant }: Who,
    { scanId, language, go }: ReturnType<typeof parseImport>,
    source: AsyncIterable<Uint8Array>,
  ): Promise<EncodedGraph> => {
    const format = await database.read(tenant, async (query) => {
      await scans.getScan(query, tenant, scanId);
      if (!go) return language;
      const modules = (await scans.listGoModules(query, tenant, scanId)).map(goModuleOf);
      return { ...go, modules, advisories: await listGoAdvisories(query, [go.mainModule, ...modules]) };
    });
    try {
      return await threads.imports.run(tenant, () => importCallGraph(limited(source, CALL_GRAPH_BYTES), { format }));
    } catch (error) {
      throw asFault(error);
    }
  };

  return {
    assign,

    /**
     * Receives a document as a stream, for a caller who may import, and stores its graph; `assign` gives it to the scan.
     * @throws Fault RES_NOT_FOUND without the scan, VAL_* for a document that is refused; BodyTooLarge
     */
    async receive(caller: Caller, request: unknown, source: AsyncIterable<Uint8Array>): Promise<store.ReceivedGraph> {
      const who = admit(caller, assign.spec);
      const parsed = parseImport(request);
      const { stored, counts, graphHash, coverage } = await convert(who, parsed, source);
      const described = { digest: sha256(stored), language: parsed.language, graphHash, coverage, ...counts };
      const graph = { ...described, size: stored.length };
      await save(who, graph, stored);
      return graph;
    },

    list: operation({
      name: 'callGraph.list',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ scanIds: Type.Array(idOf('Scan'), { maxItems: 200 }) }),
      example: { scanIds: [exampleId('Scan')] },
      run: ({ tenant }, { scanIds }, query) => store.listByScans(query, tenant, scanIds),
    }),
  };
};

export type CallGraphs = ReturnType<typeof createCallGraphs>;
