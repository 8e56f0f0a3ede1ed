import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { DOMAINS } from '../shared/domains.ts';
import type { LaneAnswer } from './lane.ts';
import { packAnswer, unpackAnswer } from './packed-answer.ts';

const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const plain = { noNullPrototype: true };
const hit = fc.record(
  {
    number,
    entityKey: fc.string({ unit: 'binary', maxLength: 20 }).map((key) => `e:${key.replaceAll('\0', '')}`),
    score: fc.double({ noNaN: true }),
    coverage: fc.double({ min: 0, max: 1, noNaN: true }),
    others: fc.array(number, { maxLength: 2 }),
  },
  plain,
);
const list = fc.record({ domain: fc.constantFrom(...DOMAINS), hits: fc.array(hit, { maxLength: 6 }) }, plain);
const lists = fc.array(list, { maxLength: 4 });

it('an answer is the same on the other side of a thread', () => {
  fc.assert(
    fc.property(lists, lists, (exact, domains) => {
      const answer: LaneAnswer = {
        exact,
        domains,
        words: [{ word: 'one', kind: 'word', terms: ['one', 'once'], weight: 1.5 }],
        facets: { domain: { vex: 2 }, severity: {}, ecosystem: { npm: 1 }, entityType: {} },
        elapsedMs: 0.5,
      };
      assert.deepEqual(unpackAnswer(structuredClone(packAnswer(answer))), answer);
    }),
  );
});
