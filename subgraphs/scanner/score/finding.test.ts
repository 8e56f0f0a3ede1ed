import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { InvalidDocument } from './document.ts';
import { type FrozenFinding, findingIdOf } from './finding.ts';
import { goldenScan, plainFinding } from './golden-scan.fixture.ts';
import { createManifest } from './manifest.ts';
import { type FrozenScan, replay } from './replay.ts';
import { vexSetHash } from './vex-set.ts';

/** Slug with which a scan is refused; undefined if it is scored. */
const refusal = (changes: Partial<FrozenScan>): string | undefined => {
  try {
    replay({ ...goldenScan, ...changes });
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    assert.ok(error instanceof InvalidDocument, String(error));
    return error.reason;
  }
};

const refusalOf = (changes: Partial<FrozenFinding>): string | undefined =>
  refusal({ findings: [plainFinding(changes)] });

const cvss = { severitySource: 'cvss', cvssTenths: 50, cvssVersion: '3.1', cvssVector: 'CVSS:3.1/AV:N' } as const;
const pinned = { documentDigest: sha256('vex document 1'), index: 0, source: 'hub' };

test('a severity that does not fit its source is refused', () => {
  assert.equal(refusalOf(cvss), undefined);
  assert.equal(refusalOf({ ...cvss, cvssVector: null, cvssVersion: null }), undefined);
  for (const changes of [
    { ...cvss, cvssTenths: null },
    { ...cvss, vendorSeverity: 'high' },
    { cvssTenths: 70 },
    { cvssVector: 'CVSS:3.1/AV:N' },
    { severitySource: 'vendor', vendorSeverity: 'moderate', cvssTenths: 80 },
    { severitySource: 'vendor', vendorSeverity: 'scary', cvssTenths: 80 },
    { severitySource: 'vendor', cvssTenths: 80 },
  ] as const)
    assert.equal(refusalOf(changes), 'finding-severity', JSON.stringify(changes));
});

test('a field outside its range is refused', () => {
  for (const changes of [
    { ...cvss, cvssTenths: 101 },
    { ...cvss, cvssTenths: 5.5 },
    { ...cvss, cvssTenths: Number.NaN },
    { epss: '1.01' },
    { epss: '0.0000000000001' },
    { epss: '1e-5' },
    { epss: '.5' },
    { findingId: '' },
    { vex: 'affected', vexStatement: { ...pinned, index: -1 } },
  ] as const)
    assert.equal(refusalOf(changes), 'finding-malformed', JSON.stringify(changes));
});

test('a VEX status needs a statement, of a pinned document, of enough trust', () => {
  assert.equal(refusalOf({ vex: 'fixed', vexStatement: pinned }), undefined);
  assert.equal(refusalOf({ vex: 'fixed' }), 'finding-vex');
  assert.equal(refusalOf({ vexStatement: pinned }), 'finding-vex');
  assert.equal(refusalOf({ vex: 'fixed', vexStatement: { ...pinned, source: 'vendor' } }), 'finding-vex');
  const policy = { ...goldenScan.policy, vexMinimumTrust: 'verified' } as const;
  assert.equal(refusal({ policy, findings: [plainFinding({ vex: 'fixed', vexStatement: pinned })] }), 'finding-vex');
});

test('VEX documents that the manifest does not pin are refused', () => {
  assert.equal(refusal({ vexDocuments: goldenScan.vexDocuments.toReversed() }), undefined);
  assert.equal(refusal({ vexDocuments: goldenScan.vexDocuments.slice(1) }), 'vex-set');
  const [first] = goldenScan.vexDocuments;
  assert.ok(first);
  assert.notEqual(vexSetHash([{ ...first, trust: 'verified' }]), vexSetHash([first]));
});

test('an informational finding that is exploited or malicious is refused', () => {
  assert.equal(refusalOf({ class: 'informational', kev: true }), 'finding-class');
  assert.equal(refusalOf({ class: 'informational', malicious: true }), 'finding-class');
});

test('a finding of an unknown feed, or that is there twice, is refused', () => {
  assert.equal(refusalOf({ advisoryFeed: 'feed:osv:Hex' }), 'finding-feed');
  assert.equal(refusalOf({ advisoryFeed: 'sbom' }), 'finding-feed');
  assert.equal(refusal({ findings: [plainFinding({}), plainFinding({})] }), 'finding-duplicate');
});

test('an unpaired surrogate is refused, and one that is only spelled is not', () => {
  assert.equal(refusalOf({ purl: 'pkg:npm/\ud800' }), 'VAL_INVALID_JSON');
  assert.equal(refusalOf({ purl: 'pkg:npm/\\ud800' }), undefined);
  assert.equal(refusalOf({ purl: 'pkg:npm/😀' }), undefined);
});

test('coverage whose parts do not sum, or findings without an evaluated component, are refused', () => {
  const coverage = { components: 3, evaluated: 0, noPurl: 2, unknownEcosystem: 0, badVersion: 1 };
  assert.equal(refusal({ coverage }), 'coverage-findings');
  assert.equal(refusal({ coverage: { ...coverage, noPurl: 1 } }), 'coverage-sum');
  assert.equal(refusal({ coverage: { ...coverage, noPurl: Number.NaN } }), 'coverage-sum');
});

test('the evidence is as old as the oldest of its feed, EPSS and KEV, and an absent feed is of 1970', () => {
  const ageAt = (scan: FrozenScan) => replay(scan).findings.map(({ evidenceAgeSeconds }) => evidenceAgeSeconds);
  assert.deepEqual(ageAt(goldenScan), [200_000, 200_000, 200_000, 3_000_000, 200_000, 0, 0]);
  const later = { ...goldenScan, freezeTimestamp: '2026-01-01T00:00:10Z' };
  assert.deepEqual(ageAt(later), [200_010, 200_010, 200_010, 3_000_010, 200_010, 10, 10]);
  const manifest = createManifest({
    ...goldenScan.manifest,
    inputs: goldenScan.manifest.inputs.filter(({ role }) => role !== 'feed:kev'),
  });
  assert.equal(ageAt({ ...goldenScan, manifest })[6], 1_767_225_600);
});

test('a time before a feed was published, or that is no time, is refused', () => {
  assert.equal(refusal({ freezeTimestamp: '2025-12-31T23:59:59Z' }), 'finding-malformed');
  for (const freezeTimestamp of [
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00.5Z',
    '2026-01-01',
    '2026-01-01T01:00:00+01:00',
  ])
    assert.equal(refusal({ freezeTimestamp }), 'time-invalid', freezeTimestamp);
});

test('the id of a finding is a function of the component, its path and the vulnerability', () => {
  const fact = { purl: 'pkg:npm/qs@6.5.2', vulnId: 'CVE-2022-24999', componentPath: 'a/b' };
  assert.match(findingIdOf(fact), /^[0-9a-f]{32}$/);
  assert.notEqual(findingIdOf(fact), findingIdOf({ ...fact, componentPath: 'a' }));
  assert.equal(findingIdOf({ ...fact, ...{ kev: true } }), findingIdOf(fact));
});
