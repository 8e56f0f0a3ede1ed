import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { caller } from '@landfall/kernel/testing/callers';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import { vexApp } from '../testing/vex.ts';
import { importFeeds } from './feed-import.ts';

const directory = await mkdtemp(join(tmpdir(), 'landfall-ssvc-'));
after(() => rm(directory, { recursive: true }));

/** CVE record with CISA's container of a date. */
const cveRecord = (exploitation: string, dateUpdated: string, cveId = 'CVE-2026-1000') => ({
  dataType: 'CVE_RECORD',
  cveMetadata: { cveId },
  containers: {
    adp: [
      {
        title: 'CISA ADP Vulnrichment',
        providerMetadata: { dateUpdated },
        metrics: [
          {
            other: {
              type: 'ssvc',
              content: {
                options: [{ Exploitation: exploitation }, { Automatable: 'no' }, { 'Technical Impact': 'Total' }],
              },
            },
          },
        ],
      },
    ],
  },
});

/** An installation into which files are imported. */
const installation = async () => {
  const app = await vexApp();
  const importFile = async (name: string, content: unknown) => {
    const path = join(directory, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return importFeeds(app.deps, [{ path, name }]);
  };
  return { ...app, importFile };
};

test('CISA’s decision points are shown on findings by any id of the vulnerability, and are not in the score', async () => {
  await using app = await installation();
  const scanId = await app.scan();
  const [before] = await app.findings(scanId);
  assert.equal(before?.ssvc, null);
  await app.importFile('record.json', cveRecord('PoC', '2026-05-01T00:00:00Z'));
  const [finding] = await app.findings(scanId);
  assert.deepEqual(finding?.ssvc, {
    cveId: 'CVE-2026-1000',
    exploitation: 'POC',
    automatable: 'NO',
    technicalImpact: 'TOTAL',
  });
  assert.equal((await app.findings(await app.scan()))[0]?.score, before?.score);
});

test('newer decision points replace older ones, and never the other way round', async () => {
  await using app = await installation();
  const countsOf = async (record: object) => (await app.importFile('record.json', record)).ssvc;
  assert.equal((await countsOf(cveRecord('none', '2026-05-02T00:00:00Z'))).written, 1);
  assert.equal((await countsOf(cveRecord('poc', '2026-05-01T00:00:00Z'))).unchanged, 1);
  assert.equal((await countsOf(cveRecord('active', '2026-05-03T00:00:00Z'))).written, 1);
  assert.equal((await countsOf({ cveMetadata: { cveId: 'CVE-2026-1000' }, containers: {} })).unrated, 1);
  const who = caller({ tenant: 'globex', subject: 'reader', scopes: ['scanner:read'] });
  const operations = app.module.operations.filter(({ spec }) => spec.name === 'ssvc.list');
  const [points] = await Promise.all(operations.map((list) => list(who, { ids: ['CVE-2026-1000'] })));
  assert.match(JSON.stringify(points), /"exploitation":"active"/);
});

test('a record with a point that is none of SSVC is refused, and costs itself alone', async () => {
  await using app = await installation();
  const { refused } = await app.importFile('record.json', cveRecord('perhaps', '2026-05-01T00:00:00Z'));
  assert.match(refused[0]?.reason ?? '', /SSVC Exploitation is perhaps/);
});

test('the public records of CISA are imported, those of rejected vulnerabilities without points', async (t) => {
  const files = [...(readPublicData('exploitation') ?? [])].filter(
    ([path]) => path.includes('vulnrichment') && path.endsWith('.json'),
  );
  if (files.length === 0) {
    t.skip('the public test data is not beside the repository');
    return;
  }
  await using app = await installation();
  let [written, unrated] = [0, 0];
  for (const [, text] of files) {
    const { ssvc } = await app.importFile('record.json', text);
    written += ssvc.written;
    unrated += ssvc.unrated;
  }
  const rejected = files.filter(([, text]) => text.includes('"REJECTED"')).length;
  assert.deepEqual([files.length, written, unrated], [40, 40 - rejected, rejected]);
});
