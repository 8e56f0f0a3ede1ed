import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import fc from 'fast-check';
import { parsePurl } from '../packages/purl.ts';
import { referenceOf } from './vex-reference.ts';
import { rulingStatement, type SourcedStatement, VEX_TRUSTS, type VexSubject } from './vex-ruling.ts';
import { VEX_STATUSES, type VexProduct, type VexStatement } from './vex-statement.ts';

const HASH = `sha256:${'ab'.repeat(32)}`;

const subject: VexSubject = {
  vulnerabilityIds: new Set(['CVE-2026-1000', 'GHSA-2c2c-3f3f-4g4g']),
  artifact: { purl: parsePurl('pkg:oci/gate@sha256:00?repository_url=gate.example/gate'), hashes: [HASH] },
  component: { purl: parsePurl('pkg:npm/%40fence/hinge@1.2.0?arch=arm64'), hashes: [] },
};

const product = (name: string, ...subcomponents: readonly string[]): VexProduct => ({
  ...referenceOf({ names: [name] }),
  subcomponents: subcomponents.map((part) => referenceOf({ names: [part] })),
});

const HINGE = product('pkg:npm/%40fence/hinge');

const sourced = (
  statement: Partial<VexStatement>,
  source: Partial<Omit<SourcedStatement, 'statement'>> = {},
): SourcedStatement => ({
  source: 'gate',
  rank: 1,
  trust: 'trusted',
  ...source,
  statement: {
    documentDigest: sha256('document'),
    index: 0,
    vulnerabilityIds: ['CVE-2026-1000'],
    status: 'affected',
    justification: null,
    impactStatement: null,
    statedAt: '2026-01-01T00:00:00.000Z',
    products: [HINGE],
    ...statement,
  },
});

const rulingOf = (...statements: readonly SourcedStatement[]) =>
  rulingStatement(statements, subject, { vexMinimumTrust: 'trusted' });

const matches = (...products: readonly VexProduct[]): boolean => rulingOf(sourced({ products })) !== undefined;

test('a product matches by type, namespace and name, by its version and by the qualifiers that it has', () => {
  assert.ok(matches(HINGE));
  assert.ok(matches(product('pkg:npm/%40fence/hinge@1.2.0?arch=arm64')));
  for (const other of [
    'pkg:npm/hinge',
    'pkg:npm/%40fence/hinge@1.2.1',
    'pkg:npm/%40fence/hinge?arch=amd64',
    'pkg:pypi/hinge',
    '[ERROR]',
  ])
    assert.ok(!matches(product(other)), other);
  assert.ok(matches(product('pkg:pypi/hinge'), HINGE));
});

test('a product matches the scanned artifact by package URL or hash', () => {
  assert.ok(matches(product('pkg:oci/gate')));
  assert.ok(matches({ name: 'gate', purl: null, hashes: [HASH], subcomponents: [] }));
  assert.ok(!matches({ name: 'gate', purl: null, hashes: [HASH.replace('ab', 'ac')], subcomponents: [] }));
});

test('where a product has subcomponents the component is one of them', () => {
  assert.ok(matches(product('pkg:oci/gate', 'pkg:npm/latch', 'pkg:npm/%40fence/hinge')));
  assert.ok(!matches(product('pkg:oci/gate', 'pkg:npm/latch')));
  assert.ok(!matches(product('pkg:oci/gate', '[ERROR] CVE type not mapped')));
  assert.ok(!matches(product('pkg:oci/wall', 'pkg:npm/%40fence/hinge')));
});

test('a vulnerability matches by any id of its alias group', () => {
  assert.ok(rulingOf(sourced({ vulnerabilityIds: ['X-1', 'GHSA-2c2c-3f3f-4g4g'] })));
  assert.equal(rulingOf(sourced({ vulnerabilityIds: ['CVE-2026-1001'] })), undefined);
});

test('a statement below the minimum trust is never chosen, nor is not_affected without a reason', () => {
  assert.equal(rulingOf(sourced({}, { trust: 'untrusted' })), undefined);
  assert.equal(rulingOf(sourced({ status: 'not_affected' })), undefined);
  assert.ok(rulingOf(sourced({ status: 'not_affected', justification: 'component_not_present' })));
  assert.ok(rulingOf(sourced({ status: 'not_affected', impactStatement: 'No hinge.' })));
});

test('the latest statement stands for its source, one without a time is oldest, at equal time the riskier status', () => {
  const [early, late] = [{ statedAt: '2026-01-01T00:00:00.000Z' }, { statedAt: '2026-01-02T00:00:00.000Z' }];
  const statusOf = (...given: readonly SourcedStatement[]) => rulingOf(...given)?.statement.status;
  assert.equal(statusOf(sourced({ status: 'affected', ...early }), sourced({ status: 'fixed', ...late })), 'fixed');
  assert.equal(
    statusOf(sourced({ status: 'affected', statedAt: null }), sourced({ status: 'fixed', ...early })),
    'fixed',
  );
  assert.equal(
    statusOf(sourced({ status: 'fixed', ...late }), sourced({ status: 'under_investigation', ...late })),
    'under_investigation',
  );
  assert.equal(statusOf(sourced({ status: 'fixed' }), sourced({ ...late }, { trust: 'untrusted' })), 'fixed');
});

test('between sources the highest rank wins, at equal rank the riskier status, then the source', () => {
  const [fixed, affected] = [{ status: 'fixed' }, { status: 'affected' }] as const;
  const sourceOf = (...given: readonly SourcedStatement[]) => rulingOf(...given)?.source;
  assert.equal(sourceOf(sourced(affected, { source: 'a' }), sourced(fixed, { source: 'b', rank: 2 })), 'b');
  assert.equal(sourceOf(sourced(fixed, { source: 'a' }), sourced(affected, { source: 'b' })), 'b');
  assert.equal(sourceOf(sourced(fixed, { source: 'b' }), sourced(fixed, { source: 'a' })), 'a');
});

/** A rank is registered with its source, so all statements of a source have one. */
const RANKS = { a: 1, b: 2, c: 2 };

const anyStatement = fc
  .record({
    status: fc.constantFrom(...VEX_STATUSES),
    index: fc.integer({ min: 0, max: 2 }),
    statedAt: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
    documentDigest: fc.constantFrom(sha256('a'), sha256('b')),
    justification: fc.constantFrom(null, 'component_not_present'),
    products: fc.constantFrom([HINGE], [product('pkg:npm/latch')], [product('pkg:oci/gate', 'pkg:npm/%40fence/hinge')]),
    source: fc.constantFrom<keyof typeof RANKS>('a', 'b', 'c'),
    trust: fc.constantFrom(...VEX_TRUSTS),
  })
  .map(({ source, trust, ...statement }) => sourced(statement, { source, trust, rank: RANKS[source] }));

test('the ruling statement does not depend on the order of the statements', () => {
  const identityOf = (given: readonly SourcedStatement[]) => {
    const { source, statement } = rulingOf(...given) ?? {};
    return [source, statement?.documentDigest, statement?.index, statement?.status];
  };
  fc.assert(
    fc.property(fc.array(anyStatement, { maxLength: 8 }), fc.nat(), (statements, turn) => {
      const at = statements.length === 0 ? 0 : turn % statements.length;
      const turned = [...statements.slice(at), ...statements.slice(0, at)];
      assert.deepEqual(identityOf(turned), identityOf(statements));
      assert.deepEqual(identityOf(turned.toReversed()), identityOf(statements));
    }),
    { numRuns: 2_000 },
  );
});

test('a statement that is not eligible or does not match changes nothing', () => {
  const ineligible = [
    sourced({ statedAt: '2027-01-01T00:00:00.000Z' }, { trust: 'untrusted', rank: 9 }),
    sourced({ statedAt: '2027-01-01T00:00:00.000Z', status: 'not_affected' }, { rank: 9 }),
    sourced({ statedAt: '2027-01-01T00:00:00.000Z', products: [product('pkg:npm/latch')] }, { rank: 9 }),
  ];
  fc.assert(
    fc.property(fc.array(anyStatement, { maxLength: 6 }), (statements) => {
      assert.deepEqual(rulingOf(...ineligible, ...statements), rulingOf(...statements));
    }),
  );
});
