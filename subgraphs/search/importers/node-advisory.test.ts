import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOne, importText } from '../testing/import-text.ts';

test("an advisory of the Node.js working group about a package has the working group's id and its CVE", async () => {
  const record = {
    id: 107,
    title: 'Cross Site Scripting',
    module_name: 'latch',
    publish_date: '2026-01-02',
    cves: ['CVE-2026-10001'],
    vulnerable_versions: '<= 1.0',
    patched_versions: '>= 1.1',
    overview: 'A latch shows what it is given.',
    recommendation: 'Upgrade to 1.1',
    references: ['https://fence.example/1'],
    cvss_vector: 'CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:U/C:N/I:L/A:N',
    cvss_score: 4.3,
  };
  assert.partialDeepStrictEqual(await importOne('vuln/npm/107.json', JSON.stringify(record)), {
    domain: 'findings',
    source: 'nodejs',
    documentKey: 'NSWG-ECO-107',
    entityKey: 'vulnerability:CVE-2026-10001',
    title: 'Cross Site Scripting in latch',
    body: 'A latch shows what it is given.\n\nUpgrade to 1.1\n\nAffected: latch <= 1.0; patched: >= 1.1.',
    identifiers: ['CVE-2026-10001', 'NSWG-ECO-107', 'pkg:npm/latch'],
    packages: ['latch'],
    severity: 'medium',
    ecosystem: 'npm',
    uri: 'https://fence.example/1',
  });
});

test('an advisory about Node.js itself is named by its file, and is one document for each CVE', async () => {
  const record = {
    cve: ['CVE-2026-10002', 'CVE-2026-10003'],
    vulnerable: '18.x || 20.x',
    patched: '^18.14.1',
    ref: 'https://fence.example/2',
    overview: 'Errors stay on a stack. They are taken for others.',
    affectedEnvironments: ['all'],
    severity: 'medium',
  };
  const { chunks, refusals } = await importText('vuln/core/104.json', JSON.stringify(record));
  assert.deepEqual(refusals, []);
  assert.deepEqual(
    chunks.map(({ documentKey, entityKey }) => [documentKey, entityKey]),
    [
      ['NSWG-COR-104/CVE-2026-10002', 'vulnerability:CVE-2026-10002'],
      ['NSWG-COR-104/CVE-2026-10003', 'vulnerability:CVE-2026-10003'],
    ],
  );
  assert.partialDeepStrictEqual(chunks[0], {
    title: 'Errors stay on a stack.',
    severity: 'medium',
    packages: ['node'],
    attributes: { vulnerable: '18.x || 20.x', fixed: ['^18.14.1'] },
  });
});
