import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TObject, type TProperties } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseFailRule } from './fail-rule.ts';
import { reported, reportOf } from './finding.fixture.ts';
import { findingTable } from './finding-table.ts';
import { sarifOf } from './sarif.ts';

const text = Type.Object({ text: Type.String({ minLength: 1 }) }, { additionalProperties: false });
const exact = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false });
const uri = Type.String({ pattern: '^[^\\s]+$' });
const bag = Type.Record(Type.String(), Type.Unknown());

/** The definitions of the public schema (sarif-schema-2.1.0.json) that a log of ours uses; they allow no other members. */
const log = Compile(
  exact({
    $schema: uri,
    version: Type.Literal('2.1.0'),
    runs: Type.Array(
      exact({
        tool: exact({
          driver: exact({
            name: Type.String(),
            rules: Type.Array(
              exact({ id: Type.String(), shortDescription: text, helpUri: uri, help: text, properties: bag }),
              { uniqueItems: true },
            ),
          }),
        }),
        automationDetails: exact({ id: Type.String() }),
        artifacts: Type.Array(exact({ location: exact({ uri }), hashes: Type.Record(Type.String(), Type.String()) })),
        results: Type.Array(
          exact({
            ruleId: Type.String(),
            ruleIndex: Type.Integer({ minimum: 0 }),
            level: Type.Enum(['none', 'note', 'warning', 'error']),
            message: text,
            locations: Type.Array(
              exact({
                physicalLocation: exact({
                  artifactLocation: exact({ uri, index: Type.Integer({ minimum: 0 }) }),
                  region: exact({ startLine: Type.Integer({ minimum: 1 }) }),
                }),
                logicalLocations: Type.Array(exact({ fullyQualifiedName: Type.String(), kind: Type.String() })),
              }),
            ),
            partialFingerprints: Type.Record(Type.String(), Type.String()),
            properties: bag,
            suppressions: Type.Optional(
              Type.Array(
                exact({
                  kind: Type.Enum(['inSource', 'external']),
                  status: Type.Enum(['accepted', 'underReview', 'rejected']),
                  justification: Type.String(),
                }),
              ),
            ),
          }),
        ),
        columnKind: Type.Enum(['utf16CodeUnits', 'unicodeCodePoints']),
        properties: bag,
      }),
    ),
  }),
);

test('a scan is a log of SARIF 2.1.0 with a rule a vulnerability and a result a finding', () => {
  const other = reported({ findingId: 'e'.repeat(32), purl: 'pkg:npm/wall@2.0.0', severity: 'LOW', cvss: 3.1 });
  const unrated = reported({
    findingId: 'd'.repeat(32),
    vulnId: 'MAL-2026-1',
    cvss: null,
    severity: null,
    malicious: true,
  });
  const excluded = reported({ findingId: 'c'.repeat(32), vulnId: 'GO-2026-1', vex: 'NOT_AFFECTED', title: null });
  const accepted = reported({
    findingId: 'b'.repeat(32),
    isSuppressed: true,
    decision: { status: 'ACCEPTED', reason: 'Only the test runner uses it' },
  });
  const document = sarifOf(reportOf(reported(), other, unrated, excluded, accepted), parseFailRule('malicious'));
  assert.deepEqual([...log.Errors(document)], []);
  const [run] = document.runs;
  assert.ok(run);
  assert.deepEqual(
    run.tool.driver.rules.map(({ id, helpUri }) => [id, helpUri]),
    ['CVE-2026-1000', 'MAL-2026-1', 'GO-2026-1'].map((id) => [id, `https://osv.dev/vulnerability/${id}`]),
  );
  assert.deepEqual(
    run.results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level]),
    [
      ['CVE-2026-1000', 0, 'error'],
      ['CVE-2026-1000', 0, 'note'],
      ['MAL-2026-1', 1, 'error'],
      ['GO-2026-1', 2, 'error'],
      ['CVE-2026-1000', 0, 'error'],
    ],
  );
  assert.deepEqual(
    run.tool.driver.rules.map(({ properties }) => Reflect.get(properties, 'security-severity')),
    ['7.5', '9.8', '7.5'],
  );
  const [first, , third, fourth, last] = run.results;
  assert.equal(first?.locations[0]?.physicalLocation.artifactLocation.uri, 'build/bom%201.json');
  assert.equal(first?.locations[0]?.logicalLocations[0]?.fullyQualifiedName, 'pkg:npm/gate@1.1.0');
  assert.deepEqual(first?.partialFingerprints, { 'findingId/v1': 'f'.repeat(32) });
  assert.deepEqual([first?.properties.meetsFailRule, third?.properties.meetsFailRule], [false, true]);
  assert.equal(fourth?.suppressions?.[0]?.justification, 'VEX: not affected');
  assert.equal(last?.suppressions?.[0]?.justification, 'triage: accepted: Only the test runner uses it');
  assert.equal(first?.suppressions, undefined);
});

test('the table shows severity, vulnerability, package, fix and exploitation, and the coverage', () => {
  const lines = findingTable(
    reportOf(reported({ fixedVersions: ['1.2.0'], kev: true }), reported({ vulnId: 'A\u001b[2J' })),
  );
  assert.deepEqual(lines, [
    'SEVERITY  VULNERABILITY  PACKAGE             FIXED  KEV',
    'high      CVE-2026-1000  pkg:npm/gate@1.1.0  1.2.0  yes',
    'high      A?[2J          pkg:npm/gate@1.1.0  -      -',
    '',
    'Scan 01900000-0000-7000-8000-000000000001: 2 findings, score 0.5; 2 of 3 components evaluated (not evaluated: 1 without a package URL).',
  ]);
});
