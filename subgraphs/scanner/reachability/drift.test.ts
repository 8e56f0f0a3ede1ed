import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { computeDrift, type Drift } from './drift.ts';
import { driftId, driftRecord, sinkPage } from './drift-record.ts';
import { chainTo } from './path.ts';
import { buildSketch, type GraphSketch, sketchKey, storeSketch } from './testing/graphs.ts';

const NAMES = Array.from('abcdefgh');
const name = fc.constantFrom(...NAMES);
const sketch: fc.Arbitrary<GraphSketch> = fc.record({
  edges: fc.array(fc.tuple(name, name), { maxLength: 24 }),
  entries: fc.array(name, { minLength: 1, maxLength: 3 }),
  sinks: fc.array(name, { maxLength: 4 }),
});
const scans = { tenant: 'acme', headScan: 'head', baseScan: 'base', computedAt: '2026-01-01T00:00:00Z' };

const recordOf = (drift: Drift, changed: { readonly computedAt?: string } = {}, includeFullPath = false) =>
  driftRecord(drift, { ...scans, ...changed, driftId: driftId(drift, scans) }, includeFullPath);

/** Distance of each reached function, by a search that knows nothing of arrays. */
const distances = ({ edges, entries }: GraphSketch): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  for (let level = [...new Set(entries)], hops = 0; level.length > 0; hops++) {
    for (const each of level) found.set(each, hops);
    level = [...new Set(edges.filter(([caller]) => level.includes(caller)).map(([, callee]) => callee))];
    level = level.filter((each) => !found.has(each));
  }
  return found;
};

test('a drift lists exactly the sinks that one graph reaches, by shortest paths', () => {
  fc.assert(
    fc.property(sketch, sketch, (base, head) => {
      const drift = computeDrift(storeSketch(base), storeSketch(head), new Map());
      const [before, after] = [distances(base), distances(head)];
      const sinks = new Set([...base.sinks, ...head.sinks]);
      const expected = [...sinks].filter((sink) => before.has(sink) !== after.has(sink));
      assert.deepEqual(drift.sinks.map(({ symbol }) => symbol).sort(), expected.map(sketchKey).sort());
      for (const { symbol, direction, hops, position } of drift.sinks) {
        const [from, graph] = direction === 'became_reachable' ? [after, head] : [before, base];
        const path = chainTo(drift.chains[direction], position);
        const steps = path.slice(1).map((callee, i) => [path[i], callee].join());
        const edges = new Set(graph.edges.map(([caller, callee]) => [sketchKey(caller), sketchKey(callee)].join()));
        assert.equal(hops, from.get(symbol.split('|')[3] ?? ''));
        assert.equal(path.length, hops + 1);
        assert.ok(steps.every((step) => edges.has(step)) && graph.entries.map(sketchKey).includes(path[0] ?? ''));
      }
    }),
  );
});

test('a drift does not depend on the order of edges, entries and sinks', () => {
  fc.assert(
    fc.property(sketch, sketch, (base, head) => {
      const reversed = (of: GraphSketch): GraphSketch => ({
        edges: [...of.edges].reverse(),
        entries: [...of.entries].reverse(),
        sinks: [...of.sinks].reverse(),
      });
      const record = (first: GraphSketch, second: GraphSketch): string =>
        JSON.stringify(recordOf(computeDrift(storeSketch(first), storeSketch(second), new Map())));
      assert.equal(record(base, head), record(reversed(base), reversed(head)));
    }),
  );
});

test('among shortest paths the callers of the lowest rank win', () => {
  const edges = [
    ['m', 'z'],
    ['m', 'b'],
    ['z', 's'],
    ['b', 's'],
  ] as const;
  const base = { edges: [], entries: ['m'], sinks: ['s'] };
  const drift = computeDrift(storeSketch(base), storeSketch({ ...base, edges }), new Map());
  assert.deepEqual(chainTo(drift.chains.became_reachable, 3 - 1), ['m', 'b', 's'].map(sketchKey));
});

for (const [what, base, kind] of [
  [
    'entry',
    {
      edges: [
        ['m', 'a'],
        ['a', 's'],
      ],
      entries: ['x'],
      sinks: ['s'],
    },
    'entry_added',
  ],
  ['symbol', { edges: [['m', 'm']], entries: ['m'], sinks: ['s'] }, 'symbol_added'],
  [
    'edge',
    {
      edges: [
        ['m', 'm'],
        ['a', 's'],
      ],
      entries: ['m'],
      sinks: ['s'],
    },
    'edge_added',
  ],
] as const)
  test(`an added ${what} is the cause of a sink that became reachable, and its removal of the reverse`, () => {
    const head = {
      edges: [
        ['m', 'a'],
        ['a', 's'],
      ],
      entries: ['m'],
      sinks: ['s'],
    } as const;
    assert.equal(computeDrift(storeSketch(base), storeSketch(head), new Map()).sinks[0]?.cause.kind, kind);
    const back = computeDrift(storeSketch(head), storeSketch(base), new Map()).sinks[0];
    assert.equal(back?.cause.kind, kind.replace('added', 'removed'));
    assert.equal(back?.direction, 'became_unreachable');
  });

test('a path has the confidence of its weakest edge, and of equal edges the strongest counts', () => {
  const edges = [
    ['m', 'a', 'reflective-guess'],
    ['a', 's', 'dynamic-dispatch'],
    ['m', 'a', 'static'],
  ] as const;
  const base = { edges: [], entries: ['m'], sinks: ['s'] };
  const drift = computeDrift(storeSketch(base), storeSketch({ ...base, edges }), new Map());
  assert.equal(drift.sinks[0]?.confidence, 'dynamic-dispatch');
});

test('became_unreachable is tentative where an analysis is incomplete, became_reachable never', () => {
  const [few, many] = [
    { edges: [], entries: ['m'], sinks: ['s'] },
    { edges: [['m', 's']], entries: ['m'], sinks: ['s'], coverage: { complete: false } },
  ] as const;
  const tentative = (base: GraphSketch, head: GraphSketch): boolean | undefined =>
    computeDrift(storeSketch(base), storeSketch(head), new Map()).sinks[0]?.tentative;
  assert.equal(tentative(many, few), true);
  assert.equal(tentative(few, many), false);
  assert.equal(tentative({ ...many, coverage: {} }, few), false);
});

test('a page of sinks is ordered by severity, then by the bytes of the key', () => {
  const sinks = ['b', 'a', '\u{1F600}', '\uFF5E', 'c'];
  const head = { edges: sinks.map((sink) => ['m', sink] as const), entries: ['m'], sinks };
  const drift = computeDrift(storeSketch({ ...head, edges: [] }), storeSketch(head), new Map([['CVE-c', 'critical']]));
  const request = { direction: 'became_reachable', offset: 0, limit: 4 } as const;
  const { items, total } = sinkPage(drift, driftId(drift, scans), request);
  assert.equal(total, 5);
  assert.deepEqual(
    items.map(({ symbol }) => symbol),
    ['c', 'a', 'b', '\uFF5E'].map(sketchKey),
  );
  const rest = sinkPage(drift, driftId(drift, scans), { ...request, offset: 4 });
  assert.deepEqual(
    rest.items.map(({ symbol }) => symbol),
    ['\u{1F600}'].map(sketchKey),
  );
});

test('the digest of a result is the same with full and with compressed paths', () => {
  const chain = Array.from({ length: 9 }, (_, i) => [`f${i}`, `f${i + 1}`] as const);
  const head = { edges: [['m', 'f0'], ...chain] as const, entries: ['m'], sinks: ['f9'] };
  const drift = computeDrift(storeSketch({ ...head, edges: chain }), storeSketch(head), new Map());
  const [short, full] = [recordOf(drift), recordOf(drift, {}, true)];
  assert.deepEqual(short.sinks[0]?.path, [sketchKey('m'), sketchKey('f0'), { elided: 8 }, sketchKey('f9')]);
  assert.equal(full.sinks[0]?.path.length, 11);
  assert.equal(short.resultDigest, full.resultDigest);
  assert.equal(recordOf(drift, { computedAt: '2027-01-01T00:00:00Z' }).resultDigest, short.resultDigest);
});

test('a drift has an id of its graphs and scans: a UUID of version 8', () => {
  const graph = { edges: [['m', 's']], entries: ['m'], sinks: ['s'] } as const;
  const drift = computeDrift(storeSketch(graph), storeSketch(graph), new Map());
  assert.deepEqual(drift.sinks, []);
  assert.match(driftId(drift, scans), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(driftId(drift, scans), driftId(drift, { ...scans, tenant: 'globex' }));
});

test('a stored graph that does not have its hash is refused', () => {
  const graph = storeSketch({ edges: [['m', 's']], entries: ['m'], sinks: ['s'] });
  const other = { ...graph, sinks: buildSketch({ edges: [], entries: ['m'], sinks: [] }).sinks };
  assert.throws(() => computeDrift(graph, other, new Map()), { reason: 'damaged' });
});
