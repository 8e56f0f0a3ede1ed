import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareStoredGraphs, importCallGraph, stateReachability } from './reachability-thread.ts';
import { encodeGraph } from './stored-graph.ts';
import { buildSketch, chunked } from './testing/graphs.ts';

const document = (edges: readonly (readonly number[])[]): string =>
  JSON.stringify({
    schema: 'landfall.callgraph/v1',
    language: 'node',
    coverage: { complete: true },
    symbols: ['main', 'eval'].map((name) => ({ purl: 'pkg:npm/app', name })),
    edges,
    entries: [0],
    sinks: [{ symbol: 1, kind: 'vuln-symbol', vulnerabilityIds: ['CVE-1'] }],
  });

test('a thread imports two documents, compares them and states the reachability of findings', async () => {
  const base = await importCallGraph(chunked(document([])), { format: 'node' });
  const head = await importCallGraph(chunked(document([[0, 1]])), { format: 'node' });
  assert.deepEqual(head.counts, { symbols: 2, edges: 1, entries: 1, sinks: 1 });
  const graphs = () => ({ base: base.stored.slice(), head: head.stored.slice(), severities: new Map() });
  const [first, second] = [await compareStoredGraphs(graphs()), await compareStoredGraphs(graphs())];
  assert.equal(first.counts.becameReachable, 1);
  assert.equal(JSON.stringify(first), JSON.stringify(second));
  const findings = [{ purl: 'pkg:npm/app@1', vulnerabilityIds: ['CVE-1'] }];
  const [statement] = await stateReachability({ graph: head.stored, findings });
  assert.equal(statement?.reachability, 'reachable');
});

test('a refused document ends the task with its reason, and its source is closed', async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.from('{"symbols":[7,');
    } finally {
      isClosed = true;
    }
  }
  await assert.rejects(importCallGraph(endless(), { format: 'node' }), { reason: 'not_a_call_graph' });
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(isClosed);
});

test('a source that fails ends the task with its error', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{');
    throw new Error('the connection was lost');
  }
  await assert.rejects(importCallGraph(broken(), { format: 'node' }), /the connection was lost/);
});

test('a thread that runs out of memory fails its task, and the process goes on', async () => {
  const names = Array.from({ length: 60_000 }, (_, i) => `f${i}`);
  const edges = names.map((name) => ['main', name] as const);
  const { stored } = encodeGraph(buildSketch({ edges, entries: ['main'], sinks: names }));
  const { stored: base } = encodeGraph(buildSketch({ edges: [], entries: ['main'], sinks: [] }));
  const task = compareStoredGraphs({ base, head: stored, severities: new Map() }, { heapMb: 16 });
  await assert.rejects(task, { name: 'ReachabilityFailure' });
});

test('a task can be ended early', async () => {
  const { stored } = encodeGraph(buildSketch({ edges: [], entries: ['main'], sinks: [] }));
  const abort = new AbortController();
  const task = compareStoredGraphs({ base: stored, head: stored, severities: new Map() }, { signal: abort.signal });
  abort.abort(new Error('shutting down'));
  await assert.rejects(task, /shutting down/);
});
