import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { graphHash } from './call-graph.ts';
import { CallGraphError } from './call-graph-error.ts';
import { parseDirection } from './direction.ts';
import { LANGUAGES, parseLanguage } from './language.ts';
import { decodeGraph, encodeGraph } from './stored-graph.ts';
import { packageOf, symbolKey } from './symbol-key.ts';
import { frontCoded, keyAt, uniteSymbols } from './symbol-table.ts';
import { buildSketch } from './testing/graphs.ts';

const GOLDEN = buildSketch({
  edges: [
    ['main', 'lib/parse'],
    ['lib/parse', 'lib/parse'],
    ['lib/parse', 'lib/é'],
    ['main', 'lib/parse'],
  ],
  entries: ['main'],
  sinks: ['lib/é'],
});

test('a small graph has the hash that another implementation computes', () => {
  assert.equal(graphHash(GOLDEN), 'sha256:b7a7b7125084929ebe7eeb34a25a3dc942efe3a005c2ac23cec014c02e91e24d');
});

test('a stored graph is decoded to the same graph, and its bytes are equal in two runs', () => {
  const { stored, graphHash: hash } = encodeGraph(GOLDEN);
  assert.deepEqual(encodeGraph(GOLDEN).stored, stored);
  const { graphHash: storedHash, ...graph } = decodeGraph(stored);
  assert.equal(storedHash, hash);
  assert.equal(graphHash(graph), hash);
  assert.deepEqual(
    [graph.edges.confidences, graph.coverage, graph.tool],
    [GOLDEN.edges.confidences, GOLDEN.coverage, GOLDEN.tool],
  );
});

test('a stored graph that was cut off is refused, and one with a changed byte is refused or the same', () => {
  const { stored } = encodeGraph(GOLDEN);
  const hashOf = (bytes: Uint8Array): string => {
    try {
      return graphHash(decodeGraph(bytes));
    } catch (error) {
      return error instanceof CallGraphError ? error.reason : String(error);
    }
  };
  const hashes = new Set<string>();
  for (let at = 0; at < stored.length; at++) {
    assert.equal(hashOf(stored.slice(0, at)), 'damaged');
    // Some bits of the compressed form have no meaning.
    for (const bit of [1, 16, 128]) hashes.add(hashOf(stored.map((byte, i) => (i === at ? byte ^ bit : byte))));
  }
  assert.deepEqual([...hashes].sort(), ['damaged', graphHash(GOLDEN)]);
});

test('the union of two symbol tables has each symbol once, in byte order', () => {
  const names = fc.array(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }).filter((text) => !text.includes('/')),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(names, names, (first, second) => {
      const tables = [first, second].map((all) => buildSketch({ edges: [], entries: all, sinks: [] }).symbols);
      const [base, whole] = tables;
      if (base === undefined || whole === undefined) return;
      const head = frontCoded(whole);
      for (let rank = 0; rank < whole.size; rank++) assert.equal(keyAt(head, rank), keyAt(whole, rank));
      const union = uniteSymbols(base, head);
      const keys = new Map<number, string>();
      for (const [table, ranks] of [
        [base, union.base],
        [head, union.head],
      ] as const)
        for (const [rank, node] of ranks.entries()) keys.set(node, keyAt(table, rank));
      const all = [...keys].sort(([a], [b]) => a - b).map(([, key]) => Buffer.from(key));
      assert.equal(all.length, union.size);
      assert.equal(new Set([...first, ...second]).size, union.size);
      assert.ok(all.every((key, i) => i === 0 || Buffer.compare(all[i - 1] ?? key, key) < 0));
    }),
    { numRuns: 30 },
  );
});

test('a symbol key has no version, and separators inside its parts are encoded', () => {
  const name = { purl: 'pkg:npm/@acme/lib@1.2.3?x=y#z', module: 'src/a', name: 'T.|', signature: 'a%7C' };
  assert.equal(symbolKey('node', name), 'node|pkg:npm/@acme/lib|src/a|T.%7C|a%257C');
  assert.equal(packageOf(symbolKey('node', name)), 'pkg:npm/@acme/lib');
  assert.throws(() => symbolKey('node', { ...name, name: '' }), { reason: 'not_a_call_graph' });
  assert.throws(() => symbolKey('node', { ...name, name: '\ud800' }), { reason: 'not_a_call_graph' });
  assert.throws(() => symbolKey('node', { ...name, name: 'x'.repeat(9000) }), { reason: 'not_a_call_graph' });
});

test('languages and directions are known by name and alias in any case, and nothing else is', () => {
  assert.equal(LANGUAGES.length, 10);
  assert.deepEqual(['C#', '.NET', 'JVM', 'golang', 'Py', 'TS', 'bunjs', 'Deno', 'PHP', 'rb', 'rs'].map(parseLanguage), [
    'dotnet',
    'dotnet',
    'java',
    'go',
    'python',
    'node',
    'bun',
    'deno',
    'php',
    'ruby',
    'rust',
  ]);
  for (const text of ['', 'cobol', 'toString', ' go']) assert.equal(parseLanguage(text), undefined);
  assert.deepEqual(['UP', 'newly_reachable', 'down', 'Became_Unreachable'].map(parseDirection), [
    'became_reachable',
    'became_reachable',
    'became_unreachable',
    'became_unreachable',
  ]);
  for (const text of ['', 'sideways', 'constructor']) assert.equal(parseDirection(text), undefined);
});
