import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { DEFAULT_POLICY, parsePolicy, vendorTenths } from './policy.ts';

/** Field that a policy with these changes is refused for; undefined if it is accepted. */
const refusedField = (changes: object): string | undefined => {
  try {
    parsePolicy({ ...DEFAULT_POLICY, ...changes });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'VAL_INVALID_VALUE');
    return error.fields[0]?.field;
  }
};

const { weights, tail, exposure, vexKeep, reachability } = DEFAULT_POLICY;

test('the default policy is accepted', () => {
  assert.equal(refusedField({}), undefined);
  assert.equal(parsePolicy(DEFAULT_POLICY), DEFAULT_POLICY);
});

test('weights that are negative or do not sum to a million are refused', () => {
  assert.equal(refusedField({ weights: { ...weights, cvss: 350_001 } }), 'weights');
  assert.equal(refusedField({ weights: { ...weights, cvss: -50_000, epss: 600_000 } }), 'weights.cvss');
  assert.equal(refusedField({ weights: { ...weights, kev: 149_999.5, epss: 200_000.5 } }), 'weights.epss');
  assert.equal(refusedField({ weights: { ...weights, epss: 0, kev: 350_000 } }), undefined);
});

test('a result, floor or share outside 0 to a million is refused', () => {
  const refused = {
    'exposure.internet': { exposure: { ...exposure, internet: 1_000_001 } },
    'vexKeep.fixed': { vexKeep: { ...vexKeep, fixed: -1 } },
    'reachability.unknown': { reachability: { ...reachability, unknown: Number.NaN } },
    'freshnessSeconds.1.1': {
      freshnessSeconds: [
        [0, 0],
        [1, 1_000_001],
      ],
    },
    kevFloor: { kevFloor: 1_000_001 },
    maliciousFloor: { maliciousFloor: -1 },
    'tail.share': { tail: { ...tail, share: 1_000_001 } },
    'tail.max': { tail: { ...tail, max: 0 } },
  };
  for (const [field, changes] of Object.entries(refused)) assert.equal(refusedField(changes), field);
});

test('a source order is a list of distinct names', () => {
  assert.equal(refusedField({ sourceOrder: ['GHSA', 'PYSEC'] }), undefined);
  assert.equal(refusedField({ sourceOrder: ['GHSA', 'GHSA'] }), 'sourceOrder');
  assert.equal(refusedField({ sourceOrder: 'GHSA' }), 'sourceOrder');
  assert.equal(refusedField({ sourceOrder: [7] }), 'sourceOrder.0');
});

test('tenths of CVSS outside 0 to 100 are refused', () => {
  assert.equal(refusedField({ unknownCvssTenths: 101 }), 'unknownCvssTenths');
  assert.equal(refusedField({ vendorSeverityTenths: { important: 101 } }), 'vendorSeverityTenths.important');
  assert.equal(refusedField({ vendorSeverityTenths: { important: 90 } }), undefined);
});

test('ages of the freshness table that are negative, too large or do not ascend are refused', () => {
  assert.equal(refusedField({ freshnessSeconds: [[-1, 0]] }), 'freshnessSeconds.0.0');
  assert.equal(refusedField({ freshnessSeconds: [[1_000_000_001, 0]] }), 'freshnessSeconds.0.0');
  assert.equal(
    refusedField({
      freshnessSeconds: [
        [5, 0],
        [5, 1],
      ],
    }),
    'freshnessSeconds',
  );
  assert.equal(refusedField({ freshnessSeconds: [] }), 'freshnessSeconds');
  assert.equal(refusedField({ freshnessSeconds: [[1_000_000_000, 1_000_000]] }), undefined);
});

test('a table lacks no value and has no other', () => {
  assert.notEqual(refusedField({ exposure: { internet: 1 } }), undefined);
  assert.notEqual(refusedField({ vexKeep: { ...vexKeep, exploited: 1 } }), undefined);
  assert.notEqual(refusedField({ bonus: 1 }), undefined);
});

test('a vendor’s word is found whatever its capitals, and moderate is medium', () => {
  assert.equal(vendorTenths('HIGH', DEFAULT_POLICY), 80);
  assert.equal(vendorTenths('Moderate', DEFAULT_POLICY), 55);
  for (const word of ['scary', 'constructor', '', 'HİGH']) assert.equal(vendorTenths(word, DEFAULT_POLICY), undefined);
});

test('a word that no vendor’s spelling would find is refused', () => {
  for (const word of ['Important', 'moderate'])
    assert.notEqual(refusedField({ vendorSeverityTenths: { [word]: 90 } }), undefined);
});

test('a refusal says what is wrong in words', () => {
  const messageOf = (changes: object) => {
    try {
      parsePolicy({ ...DEFAULT_POLICY, ...changes });
    } catch (error) {
      if (error instanceof Fault) return error.fields.map(({ field, message }) => `${field} ${message}`).join('; ');
    }
    return undefined;
  };
  assert.equal(messageOf({ vendorSeverityTenths: { High: 80 } }), 'vendorSeverityTenths.High is not a field here');
  assert.equal(messageOf({ maximumFloor: 1 }), 'maximumFloor is not a field here');
  assert.match(messageOf({ vexMinimumTrust: 'none' }) ?? '', /vexMinimumTrust must be one of untrusted, trusted/);
});
