import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vulnerabilityIdOf } from './advisory-id.ts';
import { UnreadableDocument } from './document-fields.ts';
import { readOsvFile, readOsvRecord } from './osv-reader.ts';

const gate = {
  id: 'GO-2026-0001',
  modified: '2026-01-02T03:04:05Z',
  aliases: ['cve-2026-1000', 'ghsa-2C2C-3f3f-4g4g'],
  related: ['CVE-2026-1001'],
  affected: [
    {
      package: { ecosystem: 'Go', name: 'gate.example/hinge' },
      ranges: [
        { type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.0' }] },
        { type: 'GIT', repo: 'https://gate.example/hinge', events: [{ introduced: '0' }] },
      ],
      ecosystem_specific: {
        imports: [{ path: 'gate.example/hinge/oil', symbols: ['Pour', 'Can.Open'] }],
        custom_ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      },
    },
  ],
};

test('a record of Go has its ranges, custom ranges and vulnerable symbols', () => {
  const { record, problems } = readOsvRecord(gate);
  const [entry] = record.affected;
  assert.deepEqual(record.aliases, ['CVE-2026-1000', 'GHSA-2c2c-3f3f-4g4g']);
  assert.deepEqual(entry?.symbols, [{ importPath: 'gate.example/hinge/oil', names: ['Pour', 'Can.Open'] }]);
  assert.deepEqual(
    entry?.ranges.map(({ type }) => type),
    ['SEMVER', 'GIT'],
  );
  assert.deepEqual(entry?.customRanges[0]?.events[1], { kind: 'fixed', version: '2.0.0' });
  assert.deepEqual([record.related, record.withdrawn, problems], [['CVE-2026-1001'], null, []]);
});

test('versions in YAML are what is written, though they look like numbers', () => {
  const { record } = readOsvFile(
    'PYSEC-2026-1.yaml',
    'id: PYSEC-2026-1\nmodified: 2026-01-02T03:04:05Z\nwithdrawn: null\naffected:\n- package: {ecosystem: PyPI, name: gate}\n' +
      '  ranges:\n  - {type: ECOSYSTEM, events: [{introduced: 1.10}, {fixed: "1.20"}]}\n  versions: [1.10, 1.100]\n',
  );
  const [entry] = record.affected;
  assert.deepEqual(entry?.versions, ['1.10', '1.100']);
  assert.deepEqual(
    entry?.ranges[0]?.events.map(({ version }) => version),
    ['1.10', '1.20'],
  );
  assert.deepEqual([record.modified, record.withdrawn], ['2026-01-02T03:04:05.000Z', null]);
});

test('a broken range costs itself alone and is reported with its path', () => {
  const { record, problems } = readOsvRecord({
    id: 'X-1',
    modified: 'yesterday',
    withdrawn: 'soon',
    affected: [
      {
        versions: ['1.0', 1.1],
        ranges: [
          { type: 'SEMVER', events: [{ fixed: '1' }] },
          { type: 'MAGIC', events: [{ introduced: '0' }] },
          { type: 'ECOSYSTEM', events: [{ introduced: '0' }, {}] },
        ],
      },
    ],
  });
  assert.equal(record.affected[0]?.ranges.length, 1);
  assert.deepEqual(problems.map(({ path }) => path).toSorted(), [
    'affected[0].ranges[0]',
    'affected[0].ranges[1]',
    'affected[0].ranges[2].events[1]',
    'affected[0].versions',
    'withdrawn',
  ]);
});

test('a document that is no OSV record is refused', () => {
  for (const [name, text] of [
    ['a.json', '{"ghsaId": "GHSA-1"}'],
    ['a.json', '{"id": 5, "affected": []}'],
    ['a.json', '{"id": "X-1", "affected": {}}'],
    ['a.json', '[]'],
    ['a.json', '{'],
    ['a.yaml', 'gem: rack\ncve: 2026-1\n'],
    ['a.yml', 'a: [1'],
    ['advisory.md', '```toml\n```'],
  ] as const)
    assert.throws(() => readOsvFile(name, text), UnreadableDocument, text);
});

const recordOf = (fields: object) => readOsvRecord({ id: 'X-1', modified: '2026-01-01T00:00:00Z', ...fields }).record;

test('a malicious package is known by its id, an alias, its origins or its weakness', () => {
  assert.ok(recordOf({ id: 'MAL-2026-1' }).isMalicious);
  assert.ok(recordOf({ aliases: ['MAL-2026-1'] }).isMalicious);
  assert.ok(recordOf({ database_specific: { 'malicious-packages-origins': [] } }).isMalicious);
  assert.ok(recordOf({ database_specific: { cwe_ids: ['CWE-506'] } }).isMalicious);
  assert.ok(!recordOf({ database_specific: { cwe_ids: ['CWE-79'] } }).isMalicious);
});

test('a record is informational where every entry says so, or where errata without a CVE announce something else', () => {
  const unsound = { database_specific: { informational: 'unsound' } };
  assert.equal(recordOf({ affected: [unsound, unsound] }).informational, 'unsound');
  assert.equal(recordOf({ affected: [unsound, {}] }).informational, null);
  assert.equal(recordOf({ id: 'ALBA-2026:1' }).informational, 'bugfix');
  assert.equal(recordOf({ id: 'ALEA-2026:1' }).informational, 'enhancement');
  assert.equal(recordOf({ id: 'ALBA-2026:1', related: ['CVE-2026-1000'] }).informational, null);
});

test('vectors and words of severity are told apart', () => {
  const { severity, affected } = recordOf({
    id: 'ALSA-2026:1',
    summary: 'Important: gate security update',
    severity: [
      { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' },
      { type: 'Ubuntu', score: 'medium' },
    ],
    database_specific: { severity: 'HIGH' },
    affected: [{ database_specific: { cvss: 'CVSS:3.0/AV:L' }, ecosystem_specific: { urgency: 'low' } }],
  });
  assert.deepEqual(severity, { cvssVectors: ['CVSS:3.1/AV:N'], vendorWords: ['medium', 'HIGH', 'Important'] });
  assert.deepEqual(affected[0]?.severity, { cvssVectors: ['CVSS:3.0/AV:L'], vendorWords: ['low'] });
});

test('a vulnerability is named by its lowest CVE, otherwise by its lowest id', () => {
  assert.equal(vulnerabilityIdOf(['GHSA-2c2c-3f3f-4g4g', 'CVE-2026-1001', 'CVE-2026-1000']), 'CVE-2026-1000');
  assert.equal(vulnerabilityIdOf(['PYSEC-2026-1', 'GHSA-2c2c-3f3f-4g4g']), 'GHSA-2c2c-3f3f-4g4g');
});
