import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { baseScore2, baseScore3, rate } from './severity.ts';

const KNOWN_3: readonly (readonly [vector: string, score: number])[] = [
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
  ['CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
  ['CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 7.8],
  ['CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
  ['CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:L', 1.6],
  ['CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:C/C:H/I:H/A:H', 9.1],
  ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:N/A:N/E:P/RL:O', 6.5],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
];

const KNOWN_2: readonly (readonly [vector: string, score: number])[] = [
  ['AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
  ['AV:N/AC:M/Au:N/C:P/I:P/A:P', 6.8],
  ['(AV:N/AC:L/Au:N/C:P/I:N/A:N)', 5],
  ['AV:L/AC:H/Au:M/C:N/I:N/A:N', 0],
];

test('base scores are those that calculators of CVSS give', () => {
  for (const [vector, score] of KNOWN_3) assert.equal(baseScore3(vector), score, vector);
  for (const [vector, score] of KNOWN_2) assert.equal(baseScore2(vector), score, vector);
});

test('a vector with a base metric that is missing or unknown has no score', () => {
  const [[complete = '']] = [KNOWN_3[0] ?? []];
  for (const vector of [
    complete.replace('/S:U', ''),
    complete.replace('AV:N', 'AV:Q'),
    complete.replace('3.1', '4.0'),
    '',
    'CVSS:3.1/',
  ])
    assert.equal(baseScore3(vector), undefined, vector);
});

test('every whole vector has a score of 0 to 10 with one decimal', () => {
  const pick = (name: string, values: string) => fc.constantFrom(...values).map((value) => `${name}:${value}`);
  const vector = fc
    .tuple(
      pick('AV', 'NALP'),
      pick('AC', 'LH'),
      pick('PR', 'NLH'),
      pick('UI', 'NR'),
      pick('S', 'UC'),
      pick('C', 'HLN'),
      pick('I', 'HLN'),
      pick('A', 'HLN'),
    )
    .map((metrics) => `CVSS:3.1/${metrics.join('/')}`);
  fc.assert(
    fc.property(vector, (text) => {
      const score = baseScore3(text) ?? Number.NaN;
      assert.ok(score >= 0 && score <= 10 && Number.isInteger(Math.round(score * 1e6) / 1e5), text);
    }),
  );
});

test('a rating is by the first that says something: a vector, a number, a word; 4.0 by its word alone', () => {
  const four = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
  assert.deepEqual(rate({ vector: four, word: 'HIGH' }), { severity: 'high', score: undefined, vector: four });
  assert.deepEqual(rate({ vector: four }), { severity: undefined, score: undefined, vector: four });
  assert.equal(rate({}, { score: '7.0' }).severity, 'high');
  assert.equal(rate({ score: 11 }, { word: 'Moderate' }).severity, 'medium');
  assert.equal(rate({ vector: 'AV:N/AC:L/Au:N/C:C/I:C/A:C' }).severity, 'high');
  assert.deepEqual(rate(), { severity: undefined, score: undefined, vector: undefined });
});
