import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import fc from 'fast-check';
import { createVexIndex } from './vex-index.ts';
import { referenceOf } from './vex-reference.ts';
import { judgeStatements, rulingStatement, type SourcedStatement, VEX_TRUSTS, type VexSubject } from './vex-ruling.ts';
import { VEX_STATUSES, type VexProduct } from './vex-statement.ts';

const policy = { vexMinimumTrust: 'trusted' } as const;
const HASHES = [`sha256:${'ab'.repeat(32)}`, `sha256:${'cd'.repeat(32)}`];
const PURLS = ['pkg:npm/gate', 'pkg:npm/gate@1.0.0', 'pkg:npm/latch', 'pkg:oci/app', 'pkg:npm/%40a/gate?arch=arm64'];

const anyReference = fc
  .record({ purl: fc.option(fc.constantFrom(...PURLS)), hash: fc.option(fc.constantFrom(...HASHES)) })
  .map(({ purl, hash }) => referenceOf({ names: [purl], hashes: [hash] }));

const anyProduct: fc.Arbitrary<VexProduct> = fc
  .record({ product: anyReference, subcomponents: fc.array(anyReference, { maxLength: 3 }) })
  .map(({ product, subcomponents }) => ({ ...product, subcomponents }));

const IDS = ['CVE-2026-1', 'CVE-2026-2', 'GHSA-2c2c-3f3f-4g4g'];
const RANKS = { a: 1, b: 2, c: 2 };

const anyStatement: fc.Arbitrary<SourcedStatement> = fc
  .record({
    source: fc.constantFrom<keyof typeof RANKS>('a', 'b', 'c'),
    trust: fc.constantFrom(...VEX_TRUSTS),
    index: fc.nat({ max: 3 }),
    ids: fc.subarray(IDS, { minLength: 1 }),
    status: fc.constantFrom(...VEX_STATUSES),
    justification: fc.constantFrom(null, 'component_not_present'),
    statedAt: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
    products: fc.array(anyProduct, { maxLength: 3 }),
  })
  .map(({ source, trust, ids: vulnerabilityIds, ...statement }) => ({
    source,
    trust,
    rank: RANKS[source],
    statement: { documentDigest: sha256(source), impactStatement: null, vulnerabilityIds, ...statement },
  }));

const anySubject: fc.Arbitrary<VexSubject> = fc
  .record({ artifact: anyReference, component: anyReference, ids: fc.subarray(IDS, { minLength: 1 }) })
  .map(({ ids, ...subject }) => ({ ...subject, vulnerabilityIds: new Set(ids) }));

const identityOf = (sourced: SourcedStatement | undefined) =>
  sourced && [sourced.source, sourced.statement.index, sourced.statement.status];

test('the statements that an index finds for a finding give the ruling of all statements', () => {
  fc.assert(
    fc.property(fc.array(anyStatement, { maxLength: 12 }), anySubject, (statements, subject) => {
      const found = createVexIndex(statements).candidates(subject);
      assert.deepEqual(
        identityOf(rulingStatement(found, subject, policy)),
        identityOf(rulingStatement(statements, subject, policy)),
      );
    }),
    { numRuns: 500 },
  );
});

test('of the statements about a finding the ruling one comes first, and every other has a reason', () => {
  fc.assert(
    fc.property(fc.array(anyStatement, { maxLength: 12 }), anySubject, (statements, subject) => {
      const [first, ...others] = judgeStatements(statements, subject, policy);
      const ruling = rulingStatement(statements, subject, policy);
      assert.equal(first?.notChosen === null, ruling !== undefined);
      if (ruling) assert.deepEqual(identityOf(first), identityOf(ruling));
      assert.ok(others.every(({ notChosen }) => notChosen !== null));
    }),
    { numRuns: 500 },
  );
});

/** Statements and findings of one product: of statement n the subcomponent is package n. */
const generated = (statements: number, findings: number) => {
  const vulnerability = (n: number): string => `CVE-2026-${1_000 + (n % 50)}`;
  const image = referenceOf({ names: ['pkg:oci/app'] });
  const part = (n: number) => referenceOf({ names: [`pkg:npm/part-${n}@1.0.0`] });
  return {
    statements: Array.from(
      { length: statements },
      (_, n): SourcedStatement => ({
        source: 'vendor',
        rank: 1,
        trust: 'trusted',
        statement: {
          documentDigest: sha256('document'),
          index: n,
          vulnerabilityIds: [vulnerability(n)],
          status: 'fixed',
          justification: null,
          impactStatement: null,
          statedAt: null,
          products: [{ ...image, subcomponents: [part(n)] }],
        },
      }),
    ),
    subjects: Array.from(
      { length: findings },
      (_, n): VexSubject => ({
        vulnerabilityIds: new Set([vulnerability(n)]),
        artifact: image,
        component: part(n),
      }),
    ),
  };
};

test('5,000 findings are ruled by 10,000 statements of one product without comparing each with each', () => {
  const { statements, subjects } = generated(10_000, 5_000);
  const index = createVexIndex(statements);
  const compared = subjects.map((subject) => index.candidates(subject).length);
  assert.equal(Math.max(...compared), 1);
  const ruled = subjects.filter((subject) => rulingStatement(index.candidates(subject), subject, policy));
  assert.equal(ruled.length, 5_000);
});

test('a statement of many names and many products costs their sum', () => {
  const startedMs = performance.now();
  const vulnerabilityIds = Array.from({ length: 20_000 }, (_, n) => `CVE-2026-${10_000 + n}`);
  const products = Array.from({ length: 20_000 }, (_, n) => ({
    ...referenceOf({ names: [`pkg:npm/gate${n}`] }),
    subcomponents: [],
  }));
  const index = createVexIndex([
    {
      source: 'a',
      rank: 1,
      trust: 'trusted',
      statement: {
        documentDigest: sha256('document'),
        index: 0,
        vulnerabilityIds,
        status: 'affected',
        justification: null,
        impactStatement: null,
        statedAt: null,
        products,
      },
    },
  ]);
  const found = index.candidates({
    vulnerabilityIds: new Set(['CVE-2026-10007']),
    artifact: referenceOf({ names: [] }),
    component: referenceOf({ names: ['pkg:npm/gate7@1.0.0'] }),
  });
  assert.equal(found.length, 1);
  assert.ok(performance.now() - startedMs < 10_000);
});
