import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOne, importText } from '../testing/import-text.ts';

const advisory = {
  schema_version: '1.7.0',
  id: 'GHSA-2c2c-3f3f-4g4g',
  modified: '2026-02-01T00:00:00Z',
  published: '2026-01-10T08:00:00Z',
  aliases: ['CVE-2026-10001'],
  related: ['CVE-2026-10002'],
  summary: 'Fence gates open twice',
  details: 'A gate that is asked twice at once opens twice.\n\nOnly gates with a latch are safe.',
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N' }],
  affected: [
    {
      package: { ecosystem: 'npm', name: '@fence/gate' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.1.0' }] }],
      ecosystem_specific: {
        imports: [{ path: 'gate', symbols: ['openGate'] }],
        affects: { functions: ['gate::open'] },
      },
    },
    { package: { ecosystem: 'Debian:12', name: 'gate' }, ranges: [{ type: 'GIT', events: [{ fixed: 'abc' }] }] },
  ],
  references: [
    { type: 'WEB', url: 'https://fence.example/blog' },
    { type: 'ADVISORY', url: 'https://fence.example/advisory' },
  ],
  database_specific: { severity: 'HIGH', cwe_ids: ['CWE-362'] },
};

test('an advisory becomes a finding of its CVE, with packages, fixed versions and symbols', async () => {
  const chunk = await importOne('advisory.json', JSON.stringify(advisory));
  assert.partialDeepStrictEqual(chunk, {
    domain: 'findings',
    source: 'osv',
    documentKey: 'GHSA-2c2c-3f3f-4g4g',
    entityKey: 'vulnerability:CVE-2026-10001',
    title: 'Fence gates open twice',
    packages: ['@fence/gate', 'gate'],
    severity: 'medium',
    ecosystem: 'npm',
    uri: 'https://fence.example/advisory',
    occurredAt: new Date('2026-01-10T08:00:00Z'),
    attributes: { fixed: ['2.1.0'], symbols: ['openGate', 'gate::open'], cvss: 6.1, cwes: ['CWE-362'] },
  });
  assert.deepEqual(chunk.identifiers, [
    'CVE-2026-10001',
    'GHSA-2c2c-3f3f-4g4g',
    'pkg:npm/%40fence/gate',
    'pkg:deb/debian/gate',
  ]);
});

test('without a vector the word of the database counts, and without a summary the first sentence is the title', async () => {
  const { severity: _severity, summary: _summary, ...rest } = advisory;
  const chunk = await importOne('advisory.json', JSON.stringify(rest));
  assert.equal(chunk.severity, 'high');
  assert.equal(chunk.title, 'A gate that is asked twice at once opens twice.');
});

test('a distribution’s record is of the one CVE that it is made for; of several it is its own', async () => {
  const record = (upstream: string[]) =>
    JSON.stringify({ id: 'UBUNTU-X-1', modified: '2026-01-01T00:00:00Z', upstream });
  const one = await importOne('a.json', record(['CVE-2026-1234']));
  assert.equal(one.entityKey, 'vulnerability:CVE-2026-1234');
  const several = await importOne('a.json', record(['CVE-2026-1234', 'CVE-2026-1235']));
  assert.equal(several.entityKey, 'vulnerability:UBUNTU-X-1');
  assert.ok(several.identifiers.includes('CVE-2026-1235'));
});

test('a list with broken records: each is told by its line, the rest is there', async () => {
  const lines = [
    '[',
    JSON.stringify(advisory),
    ',',
    '{"id": broken}',
    ',',
    '{"affected": [],',
    ' "modified": "2026"}',
    ',',
    JSON.stringify({ ...advisory, id: 'OSV-2' }),
    ']',
  ];
  for (const size of [1, 7, 100_000]) {
    const { chunks, refusals } = await importText('all.json', lines.join('\n'), { size });
    assert.deepEqual(
      chunks.map(({ documentKey }) => documentKey),
      ['GHSA-2c2c-3f3f-4g4g', 'OSV-2'],
    );
    assert.deepEqual(
      refusals.map(({ line, reason }) => [line, reason]),
      [
        [4, "not JSON: Unexpected token 'b' is not valid"],
        [6, 'id is missing'],
      ],
    );
  }
});

test('lines of JSON: a broken line costs itself alone', async () => {
  const lines = [JSON.stringify(advisory), '{"id": "cut', '', JSON.stringify({ ...advisory, id: 'OSV-2' }), '7'];
  const { chunks, refusals } = await importText('all.ndjson', lines.join('\n'), { size: 13 });
  assert.equal(chunks.length, 2);
  assert.deepEqual(
    refusals.map(({ line }) => line),
    [2, 5],
  );
});

test('a list that is cut off gives what came before', async () => {
  const { chunks, refusals } = await importText('all.json', `[${JSON.stringify(advisory)},\n{"id": "OSV-`);
  assert.equal(chunks.length, 1);
  assert.deepEqual(
    refusals.map(({ line, reason }) => [line, reason]),
    [[1, 'the file ends inside a list']],
  );
});

test('one object over many lines is told by the line that breaks it', async () => {
  const broken = JSON.stringify(advisory, null, 2).replace('"published"', 'published');
  const { chunks, refusals } = await importText('advisory.json', broken);
  assert.equal(chunks.length, 0);
  assert.equal(refusals[0]?.line, 5);
});
