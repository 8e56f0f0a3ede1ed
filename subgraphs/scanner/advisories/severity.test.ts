import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { scoreVector } from './cvss-score.ts';
import { readOsvRecord } from './osv-reader.ts';
import { publishedSeverity, type SourcedSeverity, severityOf } from './severity.ts';

const V4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:H/VA:L/SC:N/SI:H/SA:L';
const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
const V31_LOW = 'CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:N/I:N/A:L';
const V30 = 'CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N';
const V2 = '(AV:N/AC:L/Au:N/C:P/I:N/A:N)';

test('vectors of all versions have their scores', () => {
  assert.deepEqual(scoreVector(V4), { version: '4.0', tenths: 92 });
  assert.deepEqual(scoreVector(V31), { version: '3.1', tenths: 98 });
  assert.deepEqual(scoreVector(V30), { version: '3.0', tenths: 61 });
  assert.deepEqual(scoreVector(V2), { version: '2.0', tenths: 50 });
  assert.deepEqual(scoreVector('AV:L/AC:H/Au:M/C:N/I:N/A:N'), { version: '2.0', tenths: 0 });
  assert.deepEqual(scoreVector(`${V31}/E:U/MAV:P`), { version: '3.1', tenths: 98 });
});

test('a vector with a metric that is missing, repeated or unknown has no score', () => {
  for (const vector of [
    V31.replace('/S:U', ''),
    V31.replace('AV:N', 'AV:Q'),
    `${V31}/A:L`,
    `${V31}/XX:Y`,
    V31.replace('3.1', '3.2'),
    V4.replace('4.0', '3.1'),
    '7.5',
    '',
    'HIGH',
  ])
    assert.equal(scoreVector(vector), undefined, vector);
});

const policy = {
  vendorSeverityTenths: { low: 30, medium: 55, high: 80, critical: 95 },
  sourceOrder: ['first', 'second'],
};

const advisory = (
  source: string,
  cvssVectors: readonly string[],
  ...vendorWords: readonly string[]
): SourcedSeverity => ({
  source,
  cvssVectors,
  vendorWords,
});

test('CVSS goes before words, the newer version before the source order', () => {
  const { severitySource, cvssTenths, cvssVersion, cvssVector } = severityOf(
    [advisory('first', [V2, V30], 'critical'), advisory('third', [V31]), advisory('second', [V31_LOW])],
    policy,
  );
  assert.deepEqual([severitySource, cvssTenths, cvssVersion, cvssVector], ['cvss', 25, '3.1', V31_LOW]);
  assert.equal(severityOf([advisory('third', [V4]), advisory('first', [V31])], policy).cvssTenths, 92);
});

test('a word of the vendor counts where no vector has a score', () => {
  const { severitySource, cvssTenths, vendorSeverity, cvssVector } = severityOf(
    [advisory('first', ['CVSS:3.1/AV:N'], 'Important', 'MODERATE')],
    policy,
  );
  assert.deepEqual([severitySource, cvssTenths, vendorSeverity, cvssVector], ['vendor', 55, 'MODERATE', null]);
});

test('without a known word the severity is the default, with no score', () => {
  const none = {
    severitySource: 'default',
    cvssTenths: null,
    vendorSeverity: null,
    cvssVersion: null,
    cvssVector: null,
  };
  assert.deepEqual(severityOf([advisory('first', [], 'Important', 'constructor', '__proto__')], policy), none);
  assert.deepEqual(severityOf([], policy), none);
});

test('the order of the advisories has no part in the severity', () => {
  const vectors = fc.subarray([V4, V31, V31_LOW, V30, V2], { maxLength: 3 });
  const words = fc.subarray(['low', 'HIGH', 'Medium', 'moderate', 'Important']);
  const source = fc.constantFrom('first', 'second', 'third', 'fourth');
  const one = fc.record({ source, cvssVectors: vectors, vendorWords: words });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), (advisories) => {
      assert.deepEqual(severityOf(advisories.toReversed(), policy), severityOf(advisories, policy));
    }),
  );
});

test('the severity of an entry goes with that of its record', () => {
  const { record } = readOsvRecord({
    id: 'X-1',
    modified: '2026-01-01T00:00:00Z',
    severity: [{ type: 'CVSS_V2', score: V2 }],
    affected: [{ severity: [{ type: 'CVSS_V3', score: V31 }], ecosystem_specific: { severity: 'LOW' } }],
  });
  assert.deepEqual(publishedSeverity(record, record.affected), { cvssVectors: [V31, V2], vendorWords: ['LOW'] });
});
