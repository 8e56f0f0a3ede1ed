import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { toTenantId } from '@landfall/kernel/core/ids';
import { testDeps } from '@landfall/kernel/testing/app';
import { readOsvRecord } from '../advisories/osv-reader.ts';
import { ecosystemOf } from '../packages/ecosystem.ts';
import { parsePurl } from '../packages/purl.ts';
import { osvRecord } from '../testing/osv.ts';
import { createAdvisoryImport } from './advisory-import.ts';
import { readFeeds } from './current-feeds.ts';
import { importFeeds } from './feed-import.ts';
import { loadAdvisories } from './package-lookup.ts';
import { loadFacts } from './vulnerability-facts.ts';

const directory = await mkdtemp(join(tmpdir(), 'landfall-feeds-'));
after(() => rm(directory, { recursive: true }));

const ACME = toTenantId('acme');

/** An installation into whose feeds documents are imported, each as a file of its own. */
const installation = async () => {
  const { deps, ...base } = await testDeps();
  const { database } = deps;
  const importFile = async (name: string, content: string | Uint8Array) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return importFeeds({ database }, [{ path, name }]);
  };
  return {
    database,
    importFile,
    importRecord: (record: object) => importFile('record.json', JSON.stringify(record)),
    feeds: () => database.read(ACME, async (query) => (await readFeeds(query)).feeds),
    /** Ids of the advisories that affect a package URL, as a tenant sees them. */
    affecting: (purl: string) =>
      database.read(ACME, async (query) => {
        const wanted = ecosystemOf(parsePurl(purl)) ?? assert.fail();
        const advisories = (await loadAdvisories(query, [wanted]))(wanted);
        return advisories.verdicts(wanted.version ?? '').map(({ record }) => record.id);
      }),
    groupOf: (purl: string) =>
      database.read(ACME, async (query) => {
        const wanted = ecosystemOf(parsePurl(purl)) ?? assert.fail();
        const advisories = (await loadAdvisories(query, [wanted]))(wanted);
        const [verdict] = advisories.verdicts(wanted.version ?? '');
        return advisories.groupOf(verdict?.record.id ?? '');
      }),
    facts: (group: bigint) => database.read(ACME, (query) => loadFacts(query, [group])),
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  };
};

test('an advisory is found by its package, for every tenant, until it is withdrawn', async () => {
  await using home = await installation();
  await home.importRecord(osvRecord('GHSA-2c2c-3f3f-4g4g', 'gate'));
  assert.deepEqual(await home.affecting('pkg:npm/gate@1.1.0'), ['GHSA-2c2c-3f3f-4g4g']);
  assert.deepEqual(await home.affecting('pkg:npm/gate@1.2.0'), []);
  const withdrawn = { modified: '2026-01-02T00:00:00Z', withdrawn: '2026-01-02T00:00:00Z' };
  const { advisories } = await home.importRecord(osvRecord('GHSA-2c2c-3f3f-4g4g', 'gate', withdrawn));
  assert.deepEqual([advisories.written, advisories.withdrawn], [1, 1]);
  assert.deepEqual(await home.affecting('pkg:npm/gate@1.1.0'), []);
});

test('a record with text that the database does not take is refused by its name, and the others are imported', async () => {
  await using home = await installation();
  const zero = await home.importRecord(osvRecord('X-1', 'gate', { summary: 'a\u0000b' }));
  const half = await home.importRecord(osvRecord('X-2', 'gate', { details: 'half \ud83d' }));
  const reason = 'it has NUL or half of a surrogate pair in a text';
  assert.deepEqual([zero.refused, half.refused], Array(2).fill([{ file: 'record.json', reason }]));
  const long = `${'x'.repeat(1_999)}\u{1f512} locked`;
  assert.equal((await home.importRecord(osvRecord('X-3', 'gate', { details: long }))).advisories.written, 1);
  assert.deepEqual(await home.affecting('pkg:npm/gate@1.1.0'), ['X-3']);
});

test('the same record again changes nothing, and an older one does not replace it', async () => {
  await using home = await installation();
  await home.importRecord(osvRecord('X-1', 'gate', { modified: '2026-01-03T00:00:00Z' }));
  const before = await home.feeds();
  const again = await home.importRecord(osvRecord('X-1', 'gate', { modified: '2026-01-03T00:00:00Z' }));
  assert.deepEqual(again.advisories, { written: 0, unchanged: 1, older: 0, withdrawn: 0 });
  const older = await home.importRecord(osvRecord('X-1', 'fence', { modified: '2026-01-02T00:00:00Z' }));
  assert.equal(older.advisories.older, 1);
  assert.deepEqual(await home.feeds(), before);
});

test('the digest of a feed depends on its records alone, and its date is that of the newest', async () => {
  await using one = await installation();
  await using other = await installation();
  const records = [osvRecord('X-1', 'gate'), osvRecord('X-2', 'fence', { modified: '2026-01-02T03:04:05.6Z' })];
  for (const record of records) await one.importRecord(record);
  for (const record of records.toReversed()) await other.importRecord(record);
  const [[feed], [same]] = [await one.feeds(), await other.feeds()];
  assert.equal(feed?.role, 'feed:osv:npm');
  assert.equal(feed?.digest, same?.digest);
  assert.equal(feed?.publishedAt.toISOString(), '2026-01-02T03:04:05.000Z');
  const [affected] = osvRecord('', 'undated').affected;
  const ofPyPI = { ...affected, package: { ecosystem: 'PyPI', name: 'undated' } };
  await one.importRecord({ ...osvRecord('P-1', 'undated'), modified: '0001-01-01T00:00:00Z', affected: [ofPyPI] });
  const undated = (await one.feeds()).find(({ role }) => role === 'feed:osv:PyPI');
  assert.ok(undated && undated.publishedAt > new Date('2026-01-01'), 'without a date it counts from its first capture');
});

test('an alias that comes later joins two groups, and the older number stays', async () => {
  await using home = await installation();
  await home.importRecord(osvRecord('X-1', 'gate'));
  await home.importRecord(osvRecord('Y-1', 'fence'));
  const older = await home.groupOf('pkg:npm/gate@1.0.0');
  assert.notEqual(await home.groupOf('pkg:npm/fence@1.0.0'), older);
  await home.importRecord(osvRecord('Z-1', 'wall', { aliases: ['X-1', 'Y-1', 'CVE-2026-1000'] }));
  assert.equal(await home.groupOf('pkg:npm/fence@1.0.0'), older);
  const facts = await home.facts(older);
  assert.deepEqual(facts.idsOf(older), ['CVE-2026-1000', 'X-1', 'Y-1', 'Z-1']);
  assert.equal(facts.headsOf(older).length, 3);
});

test('KEV and EPSS are replaced by newer files only', async () => {
  await using home = await installation();
  await home.importRecord(osvRecord('CVE-2026-1000', 'gate'));
  const kev = (dateReleased: string, cveID: string) =>
    JSON.stringify({ dateReleased, vulnerabilities: [{ cveID, dueDate: '2026-02-01' }] });
  const epss = (date: string, score: string) =>
    gzipSync(`#model_version:v1,score_date:${date}\ncve,epss,percentile\nCVE-2026-1000,${score},0.5\n`);
  await home.importFile('kev.json', kev('2026-01-02T00:00:00Z', 'CVE-2026-1000'));
  await home.importFile('epss.csv.gz', epss('2026-01-02', '0.25000'));
  const { catalogues } = await home.importFile('old.json', kev('2026-01-01T00:00:00Z', 'CVE-2026-1001'));
  assert.equal(catalogues[0]?.outcome, 'older');
  assert.equal(
    (await home.importFile('epss.csv.gz', epss('2026-01-02', '0.25000'))).catalogues[0]?.outcome,
    'unchanged',
  );
  const facts = await home.facts(await home.groupOf('pkg:npm/gate@1.0.0'));
  assert.ok(facts.isKnownExploited('CVE-2026-1000') && !facts.isKnownExploited('CVE-2026-1001'));
  assert.equal(facts.epssOf('CVE-2026-1000'), '0.25000');
});

test('EPSS without a date replaces only EPSS without a date, and one without rows replaces none', async () => {
  await using home = await installation();
  const epss = (comment: string, rows: string) => gzipSync(`${comment}cve,epss,percentile\n${rows}`);
  const write = async (comment: string, score: string) =>
    (await home.importFile('epss.csv.gz', epss(comment, `CVE-2026-1000,${score},0.5\n`))).catalogues[0]?.outcome;
  assert.equal(await write('', '0.1'), 'written');
  assert.equal(await write('', '0.2'), 'written');
  assert.equal(await write('#model_version:v1,score_date:2026-01-02\n', '0.3'), 'older', 'the others count as of now');
  const { refused } = await home.importFile('epss.csv.gz', epss('', ''));
  assert.match(refused[0]?.reason ?? '', /no row/);
});

test('a catalogue without a date does not replace one that has a date', async () => {
  await using home = await installation();
  const epss = (comment: string) => gzipSync(`${comment}cve,epss,percentile\nCVE-2026-1000,0.1,0.5\n`);
  await home.importFile('epss.csv.gz', epss('#model_version:v1,score_date:2026-01-02\n'));
  const { catalogues } = await home.importFile('epss.csv.gz', epss(''));
  assert.equal(catalogues[0]?.outcome, 'undated');
});

test('a file that cannot be read is reported, and costs itself alone', async () => {
  await using home = await installation();
  const broken = await home.importFile('broken.json', '{');
  assert.match(broken.refused[0]?.reason ?? '', /^it is not JSON/);
  assert.match((await home.importFile('broken.zip', 'PK')).refused[0]?.reason ?? '', /^the archive cannot be read/);
  assert.match((await home.importFile('epss.csv.gz', 'plain')).refused[0]?.reason ?? '', /header/);
  assert.equal((await home.importFile('notes.txt', 'hello')).skipped, 1);
});

test('an advisory that is about an ecosystem no longer changes the feed of that ecosystem', async () => {
  await using home = await installation();
  await home.importRecord(osvRecord('GHSA-2c2c-3f3f-4g4g', 'gate'));
  await home.importRecord(osvRecord('GHSA-3c3c-3f3f-4g4g', 'wall'));
  const digestOf = async () => (await home.feeds()).find(({ role }) => role === 'feed:osv:npm')?.digest;
  const before = await digestOf();
  const corrected = { modified: '2026-01-02T00:00:00Z', affected: [] };
  await home.importRecord(osvRecord('GHSA-2c2c-3f3f-4g4g', 'gate', corrected));
  assert.deepEqual(await home.affecting('pkg:npm/gate@1.1.0'), []);
  assert.notEqual(await digestOf(), before);
});

test('rows of EPSS and KEV that cannot be read are reported with their place', async () => {
  await using home = await installation();
  const csv =
    '#model_version:v1,score_date:2026-01-01T00:00:00+0000\ncve,epss,percentile\nCVE-2026-1000,0.5,0.9\nCVE-2026-1001,0.';
  const epss = await home.importFile('epss.csv', csv);
  assert.deepEqual(
    epss.partial.map(({ file, reason }) => [file, reason.split(':', 1)[0]]),
    [['epss.csv', 'line 4']],
  );
  const kev = await home.importFile(
    'kev.json',
    JSON.stringify({ catalogVersion: '1', vulnerabilities: [{ cveID: 'CVE-2026-1000' }, { cveID: 'CVE-26-1' }] }),
  );
  assert.deepEqual(kev.partial, [{ file: 'kev.json', reason: 'vulnerabilities[1]: cveID is CVE-26-1, no CVE' }]);
});

test('the next import puts in force what an import wrote that was killed before its end', async () => {
  await using home = await installation();
  await home.importRecord(osvRecord('X-1', 'gate'));
  const [before] = await home.feeds();
  const pypi = [{ package: { ecosystem: 'PyPI', name: 'gate' }, versions: ['1.0'] }];
  const killed = createAdvisoryImport({ database: home.database });
  // The records of one batch are written; the advisory moves to another ecosystem.
  for (let n = 0; n < 499; n++)
    await killed.add(readOsvRecord(osvRecord(`Y-${n}`, `y-${n}`, { affected: pypi })).record);
  await killed.add(
    readOsvRecord(osvRecord('X-1', 'gate', { modified: '2026-01-02T00:00:00Z', affected: pypi })).record,
  );
  assert.deepEqual(await home.feeds(), [before]);
  await home.importRecord(
    osvRecord('Z-1', 'gate', { affected: [{ package: { ecosystem: 'RubyGems', name: 'gate' }, versions: ['1.0'] }] }),
  );
  const after = await home.feeds();
  assert.deepEqual(
    after.map(({ role, records }) => [role, records]),
    [
      ['feed:osv:PyPI', 500],
      ['feed:osv:RubyGems', 1],
      ['feed:osv:npm', 0],
    ],
  );
  assert.notEqual(after.at(-1)?.digest, before?.digest);
});

test('a small file that unpacks to more than one document may have is refused', async () => {
  await using home = await installation();
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, 0x20), { level: 1 });
  const { refused } = await home.importFile('bomb.json.gz', bomb);
  assert.match(refused[0]?.reason ?? '', /at most 67108864 are read/);
});
