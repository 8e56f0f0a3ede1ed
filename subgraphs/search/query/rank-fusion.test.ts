import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { DomainHits, LaneHit } from '../fts/lane.ts';
import { DOMAINS, type Domain } from '../shared/domains.ts';
import { fuse, fuseLanes, type RankedLane } from './rank-fusion.ts';

const ENTITIES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;
type Entity = (typeof ENTITIES)[number];

const hitOf = (entityKey: string, number: number, coverage = 1, score = 1): LaneHit => ({
  number,
  entityKey,
  score,
  coverage,
  others: [],
});

/** Every number is of one entity in one domain. */
const numberOf = (domain: Domain, entity: Entity): number => DOMAINS.indexOf(domain) * 100 + ENTITIES.indexOf(entity);

const domainHits = fc
  .record({
    domain: fc.constantFrom(...DOMAINS),
    entities: fc.uniqueArray(fc.constantFrom(...ENTITIES)),
    coverage: fc.double({ min: 0.05, max: 1, noNaN: true }),
  })
  .map(
    ({ domain, entities, coverage }): DomainHits => ({
      domain,
      hits: entities.map((entity) => hitOf(entity, numberOf(domain, entity), coverage)),
    }),
  );

const found = fc.uniqueArray(domainHits, { selector: ({ domain }) => domain, maxLength: 5 });

const lanes = found.map((all): RankedLane[] =>
  all.map(({ domain, hits }, index) => ({ lane: `fts:${domain}`, domain, weight: 1 / (index + 1), hits })),
);

const keysOf = (hits: readonly { readonly entityKey: string }[]): string[] => hits.map(({ entityKey }) => entityKey);

const slotOf = (hits: readonly { readonly entityKey: string }[], key: string): number => keysOf(hits).indexOf(key);

describe('fusion', () => {
  it('has every entity once, and the order of the lists is nothing', () => {
    fc.assert(
      fc.property(found, found, (exact, domains) => {
        const all = fuse({ exact, domains }, 100);
        assert.equal(new Set(keysOf(all)).size, all.length);
        assert.deepEqual(
          new Set(keysOf(all)),
          new Set([...exact, ...domains].flatMap(({ hits }) => hits.map(({ entityKey }) => entityKey))),
        );
        assert.deepEqual(fuse({ exact: exact.toReversed(), domains: domains.toReversed() }, 100), all);
      }),
    );
  });

  it('gives the sum of what its reasons give, the best first, and fewer are the first of more', () => {
    fc.assert(
      fc.property(found, fc.integer({ min: 0, max: 8 }), (domains, limit) => {
        const all = fuse({ exact: [], domains }, 100);
        for (const { score, why: reason } of all) {
          assert.equal(
            score,
            reason.reduce((sum, { contribution }) => sum + contribution, 0),
          );
        }
        for (const [at, { score }] of all.entries())
          assert.ok(score <= (all[at - 1]?.score ?? Number.POSITIVE_INFINITY));
        assert.deepEqual(fuse({ exact: [], domains }, limit), all.slice(0, limit));
      }),
    );
  });

  it('moves nothing down that moves up in a list', () => {
    fc.assert(
      fc.property(lanes, fc.nat(), fc.nat(), (all, which, location) => {
        const lane = all[which % Math.max(all.length, 1)];
        if (!lane || lane.hits.length < 2) return;
        const at = 1 + (location % (lane.hits.length - 1));
        const [before, riser] = [lane.hits[at - 1], lane.hits[at]];
        if (!before || !riser) return;
        const hits = lane.hits.toSpliced(at - 1, 2, riser, before);
        const after = fuseLanes(
          all.map((one) => (one === lane ? { ...lane, hits } : one)),
          100,
        );
        assert.ok(slotOf(after, riser.entityKey) <= slotOf(fuseLanes(all, 100), riser.entityKey));
      }),
    );
  });

  // spec: 1/fusion
  it('gives an entity the weight of each lane over thirty and its rank there, and adds these up', () => {
    const lists: RankedLane[] = [
      { lane: 'fts:vex', domain: 'vex', weight: 2, hits: [hitOf('a', 1), hitOf('b', 2)] },
      { lane: 'vector', domain: 'vex', weight: 1, hits: [hitOf('b', 2)] },
    ];
    assert.deepEqual(
      fuseLanes(lists, 10).map(({ entityKey, score, why: reason }) => [entityKey, score, reason]),
      [
        [
          'b',
          2 / 32 + 1 / 31,
          [
            { lane: 'fts:vex', rank: 2, contribution: 2 / 32 },
            { lane: 'vector', rank: 1, contribution: 1 / 31 },
          ],
        ],
        ['a', 2 / 31, [{ lane: 'fts:vex', rank: 1, contribution: 2 / 31 }]],
      ],
    );
  });

  it('never puts what is in two lists below what is at a worse place in one of them alone', () => {
    fc.assert(
      fc.property(lanes, (all) => {
        const fused = fuseLanes(all, 100);
        for (const lane of all) {
          for (const [at, better] of lane.hits.entries()) {
            for (const worse of lane.hits.slice(at + 1)) {
              const isAlone = all.every(
                (other) => other === lane || other.hits.every(({ entityKey }) => entityKey !== worse.entityKey),
              );
              if (isAlone) assert.ok(slotOf(fused, better.entityKey) < slotOf(fused, worse.entityKey));
            }
          }
        }
      }),
    );
  });

  it('has what is named exactly ahead of everything that is merely found', () => {
    fc.assert(
      fc.property(found, found, (exact, domains) => {
        const named = new Set(exact.flatMap(({ hits }) => keysOf(hits)));
        const all = keysOf(fuse({ exact, domains }, 100));
        assert.deepEqual(new Set(all.slice(0, named.size)), named);
      }),
    );
  });

  it('keeps a domain that has only the weak words behind one that has them all', () => {
    const all = fuse(
      {
        exact: [],
        domains: [
          { domain: 'vex', hits: ['a', 'b', 'c'].map((key, index) => hitOf(key, index, 0.3)) },
          { domain: 'findings', hits: ['d', 'e', 'f'].map((key, index) => hitOf(key, 10 + index, 1)) },
        ],
      },
      10,
    );
    assert.deepEqual(keysOf(all), ['d', 'e', 'f', 'a', 'b', 'c']);
  });

  it('has everybody’s documents below what the tenant has, which they do not weigh against', () => {
    const own: DomainHits[] = [
      { domain: 'opsmemory', hits: ['a', 'b'].map((key, index) => hitOf(key, index, 0.7)) },
      { domain: 'timeline', hits: [hitOf('c', 5, 0.7)] },
    ];
    const documents: DomainHits = { domain: 'knowledge', hits: [hitOf('x', 9, 1), hitOf('y', 8, 1)] };
    const all = fuse({ exact: [], domains: [...own, documents] }, 10);
    assert.deepEqual(keysOf(all), ['a', 'c', 'b', 'x', 'y']);
    const alone = fuse({ exact: [], domains: own }, 10);
    assert.deepEqual(all.slice(0, 3), alone);
    assert.deepEqual(keysOf(fuse({ exact: [], domains: [...own, documents] }, 10, [], true)).slice(0, 2), ['x', 'y']);
  });

  it('has documents first where they alone have the words', () => {
    const domains: DomainHits[] = [
      { domain: 'policy', hits: [hitOf('a', 1, 0.4)] },
      { domain: 'knowledge', hits: [hitOf('x', 9, 1)] },
    ];
    assert.deepEqual(keysOf(fuse({ exact: [], domains }, 10)), ['x', 'a']);
  });

  it('puts what has all the words before what has one of them often', () => {
    const hits = [hitOf('often', 1, 0.3, 9), hitOf('all', 2, 1, 8), hitOf('none', 3, 0.1, 1)];
    assert.deepEqual(keysOf(fuse({ exact: [], domains: [{ domain: 'policy', hits }] }, 10)), ['all', 'often', 'none']);
  });

  it('makes one card of a vulnerability that two domains have, and says what each gave', () => {
    const [first, ...others] = fuse(
      {
        exact: [],
        domains: [
          { domain: 'findings', hits: [hitOf('x', 1), { ...hitOf('cve', 2), others: [7] }] },
          { domain: 'vex', hits: [hitOf('cve', 3)] },
        ],
      },
      10,
    );
    assert.deepEqual(first, {
      entityKey: 'cve',
      domain: 'vex',
      why: [
        { lane: 'fts:vex', rank: 1, contribution: 1 / 31 },
        { lane: 'fts:findings', rank: 2, contribution: 1 / 32 },
      ],
      score: 1 / 31 + 1 / 32,
      coverage: 1,
      numbers: [3, 2, 7],
    });
    assert.deepEqual(keysOf(others), ['x']);
  });
});
