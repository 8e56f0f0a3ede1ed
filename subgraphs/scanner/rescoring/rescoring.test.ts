import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { count, instant, text, textArray } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { arm } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { people } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { DEFAULT_POLICY } from '../score/policy.ts';
import { checkScannerSettings, scannerSettings } from '../shared/settings.ts';
import { rescoreApp } from '../testing/rescore-app.ts';

const who = people['scan-operator'];
const IMAGE = `sha256:${'a'.repeat(64)}`;
const manifests = table('scanner.manifests counted', { count });
const schedules = table('kernel.schedules ended', { lastRunAt: instant });
const lastCycles = sql`/* kernel.schedules.listTest */ select last_run_at from kernel.schedules
  where name = 'scanner.rescore' and last_run_at is not null`;

/** Ids of the freezes of a scan whose manifest is stored. */
const storedFreezes = async (app: Awaited<ReturnType<typeof rescoreApp>>, scanId: string): Promise<number[]> => {
  const rows = await app.rows(
    manifests,
    sql`/* scanner.manifests.listTest */ select freeze_number::bigint as count from scanner.manifests
      where tenant = 'acme' and scan_id = ${scanId} order by freeze_number`,
  );
  return rows.map((row) => row.count);
};

// spec: 1/rescoring
test('a changed EPSS gives the scan a new score and root, and the older freeze replays to the same root and bytes', async () => {
  await using app = await rescoreApp();
  await app.epss('0.01');
  const scanId = await app.scan();
  const before = await app.get(scanId);
  const first = await app.replay(scanId);
  const bytes = await readFile(first.bundlePath);
  await app.epss('0.9');
  assert.equal(await app.module.rescoreScans(), 1);
  const after = await app.get(scanId);
  assert.ok((after.scorePpm ?? 0) > (before.scorePpm ?? 0));
  assert.notEqual(after.rootHash, before.rootHash);
  assert.equal((await app.replay(scanId)).rootHash, after.rootHash);
  const again = await app.replay(scanId, first.manifestHash);
  assert.deepEqual([again.rootHash, again.bundleHash], [before.rootHash, first.bundleHash]);
  assert.deepEqual(await readFile(again.bundlePath), bytes);
  const { valid } = await app.module.proofs.verify(who, { scanId, expectedRootHash: first.rootHash });
  assert.equal(valid, true);
});

test('a process whose clock is behind that of the database freezes at the time of the newest input', async () => {
  await using app = await rescoreApp();
  await app.advanceDays(1);
  await app.epss('0.01');
  // Only the clock of the process goes back.
  app.deps.clock.now = () => new Date('2026-01-02T00:00:00Z');
  const scanId = await app.scan();
  const { status, error, createdAt } = await app.get(scanId);
  assert.deepEqual([status, error], ['completed', null]);
  const { manifest } = await app.module.manifests.get(who, { scanId });
  const { createdAtUtc } = JSON.parse(manifest);
  assert.equal(createdAtUtc, createdAt.toISOString().replace('.000Z', 'Z'));
  assert.equal((await app.replay(scanId)).freezeTimestamp.getTime(), createdAt.getTime());
  await app.epss('0.9');
  assert.equal(await app.module.rescoreScans(), 1);
});

test('a manifest hash that no stored manifest of the scan has is not found', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  await assert.rejects(app.replay(scanId, `sha256:${'0'.repeat(64)}`), { code: 'RES_NOT_FOUND' });
});

test('a replaced freeze stays while it is the first or a replay refers to it, and the history shows all', async () => {
  await using app = await rescoreApp();
  await app.epss('0.1');
  const scanId = await app.scan();
  for (const score of ['0.2', '0.3', '0.4', '0.5']) {
    await app.epss(score);
    await app.module.rescoreScans();
    if (score === '0.3') await app.replay(scanId);
  }
  assert.deepEqual(await storedFreezes(app, scanId), [1, 3, 5]);
  const history = await app.history(scanId);
  assert.deepEqual(
    history.map(({ freezeNumber, causes }) => [freezeNumber, ...causes]),
    [[5, 'feed:epss'], [4, 'feed:epss'], [3, 'feed:epss'], [2, 'feed:epss'], [1]],
  );
  const scores = history.map(({ scorePpm }) => scorePpm ?? 0);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
});

test('a withdrawn advisory makes its finding inactive with its history and one event', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan('wall', IMAGE);
  const [before] = (await app.module.scans.findings.ofScan(who, { scanId })).items;
  await app.advise('CVE-2026-1000', 'gate', { withdrawn: '2026-01-10T00:00:00Z' });
  for (let cycle = 0; cycle < 3; cycle++) await app.module.rescoreScans();
  assert.deepEqual(await app.findings(scanId), []);
  const [rescored, ...more] = await app.eventsOf('scan.rescore');
  assert.deepEqual(more, []);
  const gone = {
    findingId: before?.findingId,
    vulnId: 'CVE-2026-1000',
    purl: 'pkg:npm/gate@1.1.0',
    reason: 'withdrawn',
  };
  assert.deepEqual([rescored?.disappeared, rescored?.score], [[gone], 0]);
  const [newest] = await app.history(scanId);
  assert.deepEqual([newest?.changes, newest?.disappearedCount, newest?.scorePpm], [[gone], 1, 0]);
  assert.equal((await app.get(scanId)).findingCount, 0);
});

test('a new advisory appears as a finding that is published as at completion', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan('wall', IMAGE);
  await app.advise('CVE-2026-2000');
  assert.equal(await app.module.rescoreScans(), 1);
  assert.deepEqual((await app.findings(scanId)).toSorted(), ['CVE-2026-1000', 'CVE-2026-2000']);
  const pages = await app.eventsOf('scan.findings');
  assert.deepEqual(
    pages.map(({ findings }) => Object(findings).map(({ vulnId }: { vulnId: string }) => vulnId)),
    [['CVE-2026-1000'], ['CVE-2026-2000']],
  );
  const [rescored] = await app.eventsOf('scan.rescore');
  assert.deepEqual([rescored?.causes, rescored?.appearedCount, rescored?.disappearedCount], [['feed:osv:npm'], 1, 0]);
  assert.ok(Number(rescored?.score) >= Number(rescored?.scoreBefore));
});

test('the graph shows the history of the score with its causes, for a page of scans by one statement', async () => {
  await using app = await rescoreApp();
  for (const name of ['one', 'two', 'three']) await app.scan(name);
  await app.epss('0.7');
  await app.advise('CVE-2026-2000');
  await app.module.rescoreScans();
  app.statements.length = 0;
  const source = `{ scans { edges { node { scoreHistory {
    number at score rootHash causes appearedCount changes { vulnId reason successor } } } } } }`;
  const { data, errors } = await app.graph(source, {}, { as: who });
  assert.equal(errors, undefined);
  assert.equal(app.statements.filter((name) => name === 'scanner.freezes.listByScans').length, 1);
  for (const { node } of JSON.parse(JSON.stringify(data)).scans.edges) {
    const [newest, first] = node.scoreHistory;
    assert.deepEqual([newest.number, newest.causes, first.causes], [2, ['feed:epss', 'feed:osv:npm'], []]);
    assert.deepEqual(newest.changes, [{ vulnId: 'CVE-2026-2000', reason: 'APPEARED', successor: null }]);
    assert.ok(newest.score > first.score && newest.rootHash !== first.rootHash);
  }
});

test('a version that is no longer affected, and a package that is no longer named, are told apart', async () => {
  await using app = await rescoreApp();
  await app.advise('CVE-2026-2000');
  const scanId = await app.scan();
  const fixedBefore = [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.0.0' }] }];
  await app.advise('CVE-2026-1000', 'gate', {
    affected: [{ package: { ecosystem: 'npm', name: 'gate' }, ranges: fixedBefore }],
  });
  await app.advise('CVE-2026-2000', 'fence');
  await app.module.rescoreScans();
  const [newest] = await app.history(scanId);
  assert.deepEqual(newest?.changes.map(({ vulnId, reason }) => `${vulnId} ${reason}`).toSorted(), [
    'CVE-2026-1000 not_affected',
    'CVE-2026-2000 not_matched',
  ]);
});

test('a CVE that is assigned later renames the finding, which neither appears nor goes away', async () => {
  await using app = await rescoreApp();
  await app.advise('GHSA-2c2c-3f3f-4g4g');
  const scanId = await app.scan();
  await app.advise('GHSA-2c2c-3f3f-4g4g', 'gate', { aliases: ['CVE-2026-3000'] });
  await app.module.rescoreScans();
  assert.deepEqual((await app.findings(scanId)).toSorted(), ['CVE-2026-1000', 'CVE-2026-3000']);
  const [rescored] = await app.eventsOf('scan.rescore');
  assert.deepEqual([rescored?.appearedCount, Object(rescored?.disappeared)[0].reason], [0, 'renamed']);
});

test('a change of a feed that concerns none of the scan’s ecosystems makes no freeze, and the first feed of one does', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  const affected = [{ package: { ecosystem: 'PyPI', name: 'gate' }, versions: ['1.1.0'] }];
  await app.advise('PYSEC-2026-1', 'gate', { affected });
  assert.equal(await app.module.rescoreScans(), 0);
  assert.equal((await app.history(scanId)).length, 1);
  await app.kev('CVE-2026-9999');
  assert.equal(await app.module.rescoreScans(), 1);
});

test('an unchanged scan is compared by the statement that marks what is due, and nothing is read of it', async () => {
  await using app = await rescoreApp();
  await app.scan();
  await app.module.rescoreScans();
  app.statements.length = 0;
  assert.equal(await app.module.rescoreScans(), 0);
  assert.ok(app.statements.includes('scanner.scans.markDue'));
  for (const name of ['scanner.scans.findCompleted', 'scanner.documents.findPart', 'scanner.manifests.findNewest'])
    assert.ok(!app.statements.includes(name), name);
});

test('a published policy rescores the scans of its tenant, and each freeze keeps its own', async () => {
  await using app = await rescoreApp();
  const [own, other] = [await app.scan(), await app.scan('wall', undefined, 'other-scan-operator')];
  const first = await app.replay(own);
  const policy = JSON.stringify({ ...DEFAULT_POLICY, id: 'strict', version: '1', unknownCvssTenths: 100 });
  await app.module.policies.publish(who, { policy });
  assert.equal(await app.module.rescoreScans(), 1);
  assert.deepEqual((await app.history(own))[0]?.causes, ['policy']);
  assert.ok(((await app.get(own)).scorePpm ?? 0) > (first.scorePpm ?? 0));
  assert.equal((await app.replay(own, first.manifestHash)).rootHash, first.rootHash);
  assert.equal((await app.get(other, 'other-scan-operator')).freezeNumber, 1);
  assert.match((await app.replay(own)).canonicalInputPayload, /"id":"strict"/);
});

// spec: 2.4/rescore-options, 8/rescore
test('a scan beyond the age limit is rescored only while its image runs', async () => {
  const running: string[] = [];
  await using app = await rescoreApp({ runningImages: async () => running });
  const old = await app.scan('old', IMAGE);
  await app.advanceDays(8);
  const young = await app.scan('young');
  await app.kev('CVE-2026-1000');
  assert.equal(await app.module.rescoreScans(), 1);
  assert.deepEqual([(await app.get(old)).freezeNumber, (await app.get(young)).freezeNumber], [1, 2]);
  running.push(IMAGE);
  assert.equal(await app.module.rescoreScans(), 1);
  assert.equal((await app.get(old)).freezeNumber, 2);
});

test('a cycle rescores at most its limit, the newest scans first, and those that wait come before newer changes', async () => {
  await using app = await rescoreApp({ env: { FEEDCHANGERESCORE__MAXSCANSPERCYCLE: '2' } });
  const scans: string[] = [];
  for (const name of ['one', 'two', 'three']) scans.push(await app.scan(name));
  const freezes = () => Promise.all(scans.map(async (id) => (await app.get(id)).freezeNumber));
  await app.epss('0.1');
  assert.equal(await app.module.rescoreScans(), 2);
  assert.deepEqual(await freezes(), [1, 2, 2]);
  await app.clock.advance(1_000);
  await app.epss('0.2');
  await app.module.rescoreScans();
  assert.deepEqual(await freezes(), [2, 2, 3]);
});

test('a cycle is due after its interval, and of two processes one runs it', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  const other = app.another();
  await app.kev('CVE-2026-1000');
  const ran = await Promise.all([app.module.rescoreIfDue(), other.rescoreIfDue()]);
  assert.deepEqual(ran.toSorted(), [false, true]);
  await app.epss('0.5');
  await app.clock.advance(15 * 60_000 - 1);
  assert.equal(await other.rescoreIfDue(), false);
  await app.clock.advance(1);
  assert.equal(await other.rescoreIfDue(), true);
  assert.equal((await app.get(scanId)).freezeNumber, 3);
});

test('a published policy does not wait for the interval once 30 s have passed since the cycle before', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  const worker = app.module.workers.find(({ name }) => name === 'scanner.rescore');
  await using _running = worker?.start() ?? assert.fail('no worker');
  await until(
    async () => (await app.deps.database.system.read((query) => query.list(schedules, lastCycles))).length > 0,
  );
  await app.clock.advance(30_000);
  const policy = JSON.stringify({ ...DEFAULT_POLICY, id: 'stricter', kevFloor: 850_000 });
  await app.module.policies.publish(who, { policy });
  await until(async () => (await app.get(scanId)).freezeNumber === 2);
});

test('two cycles at the same time freeze a scan once', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  const other = app.another();
  await app.kev('CVE-2026-1000');
  const rescored = await Promise.all([app.module.rescoreScans(), other.rescoreScans()]);
  assert.equal(rescored[0] + rescored[1], 1);
  assert.equal((await app.history(scanId)).length, 2);
  assert.equal((await app.eventsOf('scan.rescore')).length, 1);
});

test('a replay of a freeze that is deleted meanwhile is refused, and repeating it succeeds', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  await app.epss('0.1');
  await app.module.rescoreScans();
  await app.epss('0.2');
  {
    using _slow = arm('scanner.replay.scored', async () => void (await app.module.rescoreScans()));
    await assert.rejects(app.replay(scanId), { code: 'RES_CONFLICT' });
  }
  assert.equal((await app.replay(scanId)).freezeNumber, 3);
});

test('a crash at any point is made up for by the next cycle, once', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  for (const [at, point] of ['marked', 'frozen', 'saving'].entries()) {
    await app.epss(`0.${at + 1}`);
    {
      using _crash = arm(`scanner.rescoring.${point}`, () => Promise.reject(new Error('killed')));
      await app.module.rescoreScans().catch(() => undefined);
    }
    assert.equal((await app.history(scanId)).length, at + 1, point);
    assert.equal(await app.module.rescoreScans(), 1, point);
    assert.equal(await app.module.rescoreScans(), 0, point);
    assert.equal((await app.eventsOf('scan.rescore')).length, at + 1, point);
  }
});

test('a scan that cannot be rescored goes behind the others', async () => {
  await using app = await rescoreApp({ env: { FEEDCHANGERESCORE__MAXSCANSPERCYCLE: '1' } });
  const [older, newer] = [await app.scan('older'), await app.scan('newer')];
  const freezes = async () => [(await app.get(older)).freezeNumber, (await app.get(newer)).freezeNumber];
  await app.kev('CVE-2026-1000');
  {
    using _failure = arm('scanner.rescoring.frozen', () => Promise.reject(new Error('no key')));
    assert.equal(await app.module.rescoreScans(), 0);
  }
  await app.module.rescoreScans();
  assert.deepEqual(await freezes(), [2, 1]);
  await app.module.rescoreScans();
  assert.deepEqual(await freezes(), [2, 2]);
});

test('a scan whose bill cannot be read waits for the next change', async () => {
  await using app = await rescoreApp({ env: { FEEDCHANGERESCORE__MAXSCANSPERCYCLE: '1' } });
  const good = await app.scan();
  const withoutBill = await app.frozenScan();
  await app.kev('CVE-2026-1000');
  assert.deepEqual([await app.module.rescoreScans(), await app.module.rescoreScans()], [0, 1]);
  assert.equal(await app.module.rescoreScans(), 0);
  assert.deepEqual([(await app.get(good)).freezeNumber, (await app.get(withoutBill)).freezeNumber], [2, 1]);
});

// spec: 6/rescore-meters, rulings/46
test('the instruments count changed feeds, rescored scans and errors, and time each cycle', async () => {
  const telemetry = createTelemetry(silentLog);
  await using app = await rescoreApp({ meter: telemetry.meter('scanner') });
  await app.scan();
  await app.module.rescoreScans();
  await app.epss('0.1');
  await app.module.policies.publish(who, { policy: JSON.stringify({ ...DEFAULT_POLICY, id: 'own' }) });
  await app.module.rescoreScans();
  const lines = (await telemetry.prometheus()).split('\n').filter((line) => line.startsWith('landfall_scanner_'));
  await telemetry.close();
  const has = (pattern: RegExp) =>
    assert.ok(
      lines.some((line) => pattern.test(line)),
      `${pattern}\n${lines.join('\n')}`,
    );
  has(/^landfall_scanner_feed_changes_total\{feed="concelier"\} 2$/);
  has(/^landfall_scanner_feed_changes_total\{feed="policy"\} 1$/);
  has(/^landfall_scanner_rescores_total\{deterministic="true"\} 1$/);
  has(/^landfall_scanner_rescore_cycle_duration_ms_count 2$/);
});

test('the options have their defaults, and a wrong one is refused by its name', () => {
  const load = (env: Readonly<Record<string, string>>) => {
    const settings = loadSettings(scannerSettings, { env });
    checkScannerSettings(settings);
    return settings;
  };
  const { feedChangeRescore, rescoreCheckIntervalMs, maxScansPerCycle, scanAgeLimitMs, rescoreConcurrency } = load({});
  assert.deepEqual([feedChangeRescore, maxScansPerCycle, rescoreConcurrency], [true, 100, 4]);
  assert.deepEqual([rescoreCheckIntervalMs, scanAgeLimitMs], [900_000, 7 * 86_400_000]);
  assert.equal(load({ FEEDCHANGERESCORE__CHECKINTERVAL: '00:15:00' }).rescoreCheckIntervalMs, 900_000);
  for (const [name, value, reason] of [
    ['CHECKINTERVAL', '0s', /CheckInterval must be at least 1s/],
    ['SCANAGELIMIT', 'a week', /must be a duration/],
    ['MAXSCANSPERCYCLE', '0', /whole number from 1/],
    ['RESCORECONCURRENCY', '65', /to 64/],
  ] as const)
    assert.throws(() => load({ [`FEEDCHANGERESCORE__${name}`]: value }), reason);
});

const statements = table('scanner.finding_reachability seen', { reachability: text });

test('a renamed finding keeps the statement on its reachability', async () => {
  await using app = await rescoreApp();
  await app.advise('GHSA-2c2c-3f3f-4g4g');
  const scanId = await app.scan();
  await app.deps.database.write(who.tenant, (tx) =>
    tx.run(sql`insert into scanner.finding_reachability (tenant, scan_id, finding_id, language, reachability, reason)
      select tenant, scan_id, finding_id, 'node', 'reachable', 'a path' from scanner.findings
      where scan_id = ${scanId} and vuln_id = 'GHSA-2c2c-3f3f-4g4g'`),
  );
  await app.advise('GHSA-2c2c-3f3f-4g4g', 'gate', { aliases: ['CVE-2026-3000'] });
  await app.module.rescoreScans();
  const rows = await app.rows(
    statements,
    sql`/* scanner.finding_reachability.listTest */ select r.reachability from scanner.finding_reachability r
      join scanner.findings f using (tenant, scan_id, finding_id) where f.vuln_id = 'CVE-2026-3000'`,
  );
  assert.deepEqual(rows, [{ reachability: 'reachable' }]);
});

const hashesOfFindings = table('scanner.findings hashes', { componentHashes: textArray });

test('a new freeze replaces the hashes by which statements name the component of a finding', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  // As a version of the program stored them that read other hashes.
  await app.deps.database.write(who.tenant, (tx) =>
    tx.run(sql`update scanner.findings set component_hashes = array['sha256:00'] where scan_id = ${scanId}`),
  );
  await app.advise('CVE-2026-2000', 'fence');
  assert.equal(await app.module.rescoreScans(), 1);
  const rows = await app.rows(
    hashesOfFindings,
    sql`/* scanner.findings.listHashes */ select component_hashes from scanner.findings where scan_id = ${scanId}`,
  );
  assert.deepEqual(rows, [{ componentHashes: [] }]);
});

test('a list that is read by pages goes on where a rescoring took the last finding of a page away', async () => {
  await using app = await rescoreApp();
  await app.advise('CVE-2026-2000');
  const scanId = await app.scan();
  const read = async (after: string | null) => {
    const document = `query ($id: ID!, $after: Cursor) { scan(id: $id) { findings(first: 1, after: $after) {
      edges { node { vulnId } } pageInfo { endCursor } } } }`;
    const { data } = await app.graph(document, { id: scanId, after }, { as: who });
    const { edges, pageInfo } = JSON.parse(JSON.stringify(data)).scan.findings;
    return { vulnId: edges[0]?.node.vulnId, endCursor: pageInfo.endCursor };
  };
  const first = await read(null);
  await app.advise(first.vulnId, 'fence');
  assert.equal(await app.module.rescoreScans(), 1);
  const second = await read(first.endCursor);
  assert.deepEqual([first.vulnId, second.vulnId].toSorted(), ['CVE-2026-1000', 'CVE-2026-2000']);
});
