import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphHash } from './call-graph.ts';
import { computeDrift } from './drift.ts';
import { readGraphDocument } from './graph-document.ts';
import { decodeGraph, encodeGraph } from './stored-graph.ts';
import { keyAt } from './symbol-table.ts';
import { chunked } from './testing/graphs.ts';

const symbol = (name: string) => ({ purl: 'pkg:npm/app@1.0.0', module: 'src', name });
const DOCUMENT = {
  schema: 'landfall.callgraph/v1',
  language: 'TypeScript',
  coverage: { complete: true },
  symbols: [symbol('main'), symbol('parse'), symbol('a"],}\\ [é')],
  edges: [
    [0, 1],
    [1, 2, 'dynamic-dispatch'],
  ],
  entries: [0],
  sinks: [{ symbol: 2, kind: 'vuln-symbol', vulnerabilityIds: ['CVE-2026-1'] }],
};
const LIMITS = { symbols: 4, edges: 3, sinks: 2, keyBytes: 200 };

const read = (document: unknown, size?: number) =>
  readGraphDocument(chunked(typeof document === 'string' ? document : JSON.stringify(document), size), 'node', LIMITS);

test('a document reads the same in chunks of any size, with its members in any order', async () => {
  const reversed = Object.fromEntries(Object.entries(DOCUMENT).reverse());
  const hashes = new Set<string>();
  for (const size of [1, 2, 3, 64, 10_000]) hashes.add(graphHash(await read(DOCUMENT, size)));
  hashes.add(graphHash(await read(reversed, 5)));
  hashes.add(graphHash(await read(JSON.stringify(DOCUMENT, undefined, 2), 11)));
  assert.equal(hashes.size, 1);
});

for (const [what, change, reason] of [
  ['an edge to an unknown symbol', { edges: [[0, 3]] }, 'unknown_symbol'],
  ['an unknown entry', { entries: [9] }, 'unknown_symbol'],
  ['an unknown sink', { sinks: [{ symbol: 7, kind: 'dangerous-api' }] }, 'unknown_symbol'],
  ['a negative symbol', { edges: [[0, -1]] }, 'not_a_call_graph'],
  ['a fraction', { edges: [[0, 0.5]] }, 'not_a_call_graph'],
  ['no entry', { entries: [] }, 'no_entries'],
  ['no list of entries', { entries: undefined }, 'no_entries'],
  ['another language', { language: 'java' }, 'not_a_call_graph'],
  ['another schema', { schema: 'v2' }, 'not_a_call_graph'],
  ['no coverage', { coverage: undefined }, 'not_a_call_graph'],
  ['an unknown member', { nodes: 1 }, 'not_a_call_graph'],
  ['an unknown list', { nodes: [1] }, 'not_a_call_graph'],
  ['a list named as a method of objects', { toString: [1] }, 'not_a_call_graph'],
  ['an unknown confidence', { edges: [[0, 1, 'certain']] }, 'not_a_call_graph'],
  ['a vulnerable symbol without a vulnerability', { sinks: [{ symbol: 0, kind: 'vuln-symbol' }] }, 'not_a_call_graph'],
  ['a symbol without a name', { symbols: [symbol('')] }, 'not_a_call_graph'],
  ['half a surrogate pair', { symbols: [symbol('\ud800')] }, 'not_a_call_graph'],
  ['too many symbols', { symbols: Array.from('abcde', symbol) }, 'too_many_symbols'],
  ['too many edges', { edges: Array.from('abcd', () => [0, 1]) }, 'too_many_edges'],
  ['too many sinks', { sinks: Array.from('abc', () => ({ symbol: 0, kind: 'dangerous-api' })) }, 'too_many_sinks'],
  ['too many bytes of symbols', { symbols: [symbol('x'.repeat(300))] }, 'too_large'],
] as const)
  test(`a document with ${what} is refused`, async () => {
    await assert.rejects(read({ ...DOCUMENT, ...change }), { name: 'CallGraphError', reason });
  });

for (const text of [
  '',
  ' ',
  '[]',
  '{',
  '{}{}',
  '{"a"}',
  '{"a":1,}',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":[1}]',
  '{"a":[1]2}',
  '{"a":1 "b":2}',
  '{"a":1,"a":1}',
  '{"symbols":[],"symbols":[]}',
  '{a:1}',
  '{"entries":[0 1]}',
  ']{}',
  '{"a":"\xff',
  '{"schema":1}}',
])
  test(`the text ${JSON.stringify(text)} is refused as a document`, async () => {
    for (const size of [1, 100]) await assert.rejects(read(text, size), { name: 'CallGraphError' });
  });

test('a value that does not end is refused before it fills the memory', async () => {
  await assert.rejects(read(`{"symbols":[{"name":"${'x'.repeat(2_000_000)}`, 65_536), { reason: 'too_large' });
});

test('equal symbols get their ordinals in the order of the document', async () => {
  const symbols = [symbol('f'), symbol('f'), symbol('f'), symbol('f2')];
  const graph = await read({ ...DOCUMENT, symbols, edges: [[2, 2]], entries: [1], sinks: [] });
  const keys = Array.from({ length: 4 }, (_, rank) => keyAt(graph.symbols, rank).slice('node|pkg:npm/app|src|'.length));
  assert.deepEqual(keys, ['f2|', 'f|', 'f||~2', 'f||~3']);
  assert.equal(graph.entries[0], 2);
  assert.equal(graph.edges.callees[0], 3);
});

test('cycles and a chain of 100,000 calls end, and the chain is the path', async () => {
  const size = 100_000;
  const edges = Array.from({ length: size }, (_, i) => [i, (i + 1) % size]);
  const symbols = Array.from({ length: size }, (_, i) => symbol(`f${i}`));
  const limits = { symbols: size, edges: size, sinks: 1, keyBytes: 10_000_000 };
  const store = async (cycle: typeof edges) => {
    const document = { ...DOCUMENT, symbols, edges: cycle, sinks: [{ symbol: size - 1, kind: 'dangerous-api' }] };
    const graph = await readGraphDocument(chunked(JSON.stringify(document), 65_536), 'node', limits);
    return decodeGraph(encodeGraph(graph).stored);
  };
  const drift = computeDrift(await store(edges.slice(1)), await store(edges), new Map());
  assert.equal(drift.sinks[0]?.hops, size - 1);
  assert.equal(drift.sinks[0]?.cause.kind, 'edge_added');
});
