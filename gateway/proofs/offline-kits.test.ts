import assert from 'node:assert/strict';
import { mkdir, readdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { operator } from '@landfall/airgap/testing/airgap-app';
import { testRoot, trustRoot } from '@landfall/airgap/testing/kits';
import { arm } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { people } from '@landfall/kernel/testing/callers';
import { holders, kitSite, osv } from './offline-kits.fixture.ts';

/** Stops at a failpoint: `reached` says when, `goOn` ends the stop. */
const stopAt = (name: string) => {
  const { promise: going, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const armed = arm(name, () => {
    reach();
    return going;
  });
  return { reached, goOn, [Symbol.dispose]: () => armed[Symbol.dispose]() };
};

test('a kit of feeds takes effect in one switch, with a receipt, and again changes nothing', async () => {
  await using home = await kitSite();
  const files = { 'feeds/1/one.json': osv('GHSA-1'), 'feeds/2/two.json': osv('GHSA-2') };
  const { folder, kit } = await home.deliver(files);
  const first = await home.importFolder(folder);
  assert.partialDeepStrictEqual(first, { state: 'complete', failureCode: null, changes: { added: 2, changed: 0 } });
  assert.deepEqual(await home.advisoryIds(), ['GHSA-1', 'GHSA-2']);
  const [active] = await home.module.kits.list(operator, {});
  assert.equal(active?.digest, kit.digest);
  assert.match(active?.receipt ?? '', /payloadType/);
  const second = await home.importFolder(folder);
  assert.partialDeepStrictEqual(second, { state: 'complete', changes: { added: 0 } });
  assert.deepEqual(await readdir(join(home.dataDir, 'kits/quarantine/acme')), []);
});

test('a dry run says what would change and writes nothing', async () => {
  await using home = await kitSite();
  await home.importFolder((await home.deliver({ 'one.json': osv('GHSA-1') })).folder);
  const kev = JSON.stringify({
    catalogVersion: '1',
    dateReleased: '2026-01-01T00:00:00Z',
    vulnerabilities: [{ cveID: 'CVE-2026-1000' }],
  });
  const files = {
    'one.json': osv('GHSA-1', { modified: '2026-11-02T00:00:00Z', withdrawn: '2026-11-02T00:00:00Z' }),
    'two.json': osv('GHSA-2'),
    'kev.json': kev,
  };
  const { folder } = await home.deliver(files, { sequence: 2 });
  const dry = await home.importFolder(folder, { isDryRun: true });
  const changes = { added: 1, changed: 1, withdrawn: 1, newlyExploited: ['CVE-2026-1000'], newlyExploitedCount: 1 };
  assert.partialDeepStrictEqual(dry, { state: 'complete', changes });
  assert.deepEqual(await home.advisoryIds(), ['GHSA-1']);
  assert.equal((await home.module.kits.list(operator, {}))[0]?.sequence, 1);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'complete', changes });
  assert.deepEqual(await home.advisoryIds(), ['GHSA-1', 'GHSA-2']);
});

// spec: 6/importer-meters
test('imports are counted by their end and tenant', async () => {
  const telemetry = createTelemetry(silentLog);
  await using home = await kitSite(() => ({ meter: telemetry.meter('airgap') }));
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  await home.importFolder(folder, { isDryRun: true });
  await home.importFolder(folder);
  await home.importFolder((await home.deliver({ 'two.json': '{' }, { sequence: 2 })).folder);
  const text = await telemetry.prometheus();
  for (const status of ['dry_run', 'complete', 'failed'])
    assert.ok(text.includes(`offlinekit_import_total{status="${status}",tenant_id="acme"} 1\n`), text);
});

test('an import that fails leaves everything as it was', async () => {
  await using home = await kitSite();
  await home.importFolder((await home.deliver({ 'one.json': osv('GHSA-1') })).folder);
  const files = { 'feeds/1/two.json': osv('GHSA-2'), 'feeds/2/bad.json': '{ no JSON' };
  const { folder } = await home.deliver(files, { sequence: 2 });
  const failed = await home.importFolder(folder);
  assert.partialDeepStrictEqual(failed, { state: 'failed', failureCode: 'kit_content_mismatch' });
  assert.deepEqual(await home.advisoryIds(), ['GHSA-1']);
  assert.equal((await home.module.kits.list(operator, {}))[0]?.sequence, 1);
});

test('a rolled-back kit and a kit of an old root are refused at once', async () => {
  await using home = await kitSite();
  const old = await home.deliver({ 'one.json': osv('GHSA-1') });
  await home.importFolder((await home.deliver({ 'two.json': osv('GHSA-2') }, { sequence: 2 })).folder);
  await assert.rejects(home.importFolder(old.folder), { code: 'kit_rolled_back' });
  const next = await testRoot(holders, { version: 2, expiresAt: '2099-01-01T00:00:00Z' });
  await trustRoot(home.deps, next);
  const third = await home.deliver({ 'three.json': osv('GHSA-3') }, { sequence: 3 });
  await assert.rejects(home.importFolder(third.folder), { code: 'kit_root_mismatch' });
  await assert.rejects(trustRoot(home.deps, next), {
    code: 'root_out_of_order',
  });
});

test('an import waits for missing parts, and a foreign part ends it', async () => {
  await using home = await kitSite();
  const files = { 'one.json': osv('GHSA-1', { details: 'x'.repeat(9_000) }) };
  const { folder } = await home.deliver(files);
  const rest = join(home.dataDir, 'rest');
  await rename(join(home.inbox, folder, 'part-00002'), rest);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'waiting', missingParts: [2] });
  await rename(rest, join(home.inbox, folder, 'part-00002'));
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'complete', missingParts: [] });
  const foreign = await home.deliver(files, { sequence: 2 });
  await rename(join(home.inbox, foreign.folder, 'part-00001'), join(home.inbox, foreign.folder, 'part-00002'));
  assert.partialDeepStrictEqual(await home.importFolder(foreign.folder), {
    state: 'failed',
    failureCode: 'kit_part_foreign',
  });
});

test('an import that stops anywhere leaves the old or the new state, and ends after a restart', async () => {
  for (const [name, sequence] of [
    ['kit.taken', 1],
    ['kit.extracted', 1],
    ['kit.switched', 2],
  ] as const) {
    await using home = await kitSite();
    await home.importFolder((await home.deliver({ 'one.json': osv('GHSA-1') })).folder);
    const { folder } = await home.deliver({ 'two.json': osv('GHSA-2') }, { sequence: 2 });
    const { id } = await home.module.kitImports.request(operator, { folder });
    const { promise: forever } = Promise.withResolvers<void>();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    {
      using _ = arm(name, () => {
        stop();
        return forever;
      });
      void home.module.importKits();
      await stopped;
    }
    assert.equal((await home.module.kits.list(operator, {}))[0]?.sequence, sequence, name);
    assert.equal(await home.module.importKits(), 0, 'its lease holds');
    const { leaseUntil } = await home.module.kitImports.get(operator, { id });
    assert.equal(leaseUntil?.getTime(), home.clock.now().getTime() + 30_000, 'it says until when');
    await home.clock.advance(31_000);
    await home.module.importKits();
    assert.partialDeepStrictEqual(await home.module.kitImports.get(operator, { id }), { state: 'complete' }, name);
    assert.deepEqual(await home.advisoryIds(), ['GHSA-1', 'GHSA-2']);
  }
});

test('a second request leaves a running import to its worker', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  const { id } = await home.module.kitImports.request(operator, { folder });
  using stop = stopAt('kit.taken');
  const running = home.module.importKits();
  await stop.reached;
  assert.equal((await home.module.kitImports.request(operator, { folder })).id, id);
  assert.equal(await home.module.importKits(), 0);
  stop.goOn();
  await running;
  assert.partialDeepStrictEqual(await home.module.kitImports.get(operator, { id }), {
    state: 'complete',
    changes: { added: 1 },
  });
});

test('a worker whose lease another one took stops, and the receipt of the other one stays', async () => {
  for (const name of ['kit.taken', 'kit.extracted', 'kit.switched']) {
    await using home = await kitSite();
    const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
    const { id } = await home.module.kitImports.request(operator, { folder });
    const stop = stopAt(name);
    const slow = home.module.importKits();
    await stop.reached;
    stop[Symbol.dispose]();
    await home.clock.advance(31_000);
    await home.module.importKits();
    const [before] = await home.module.kits.list(operator, {});
    stop.goOn();
    await slow;
    const [after] = await home.module.kits.list(operator, {});
    assert.equal(after?.receipt, before?.receipt, name);
    const ended = await home.module.kitImports.get(operator, { id });
    assert.partialDeepStrictEqual(ended, { state: 'complete', fence: 2, changes: { added: 1 } }, name);
  }
});

test('an import whose workers die again and again ends, and may be requested anew', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  const { id } = await home.module.kitImports.request(operator, { folder });
  const { promise: forever } = Promise.withResolvers<void>();
  for (let death = 0; death < 5; death++) {
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    using _ = arm('kit.extracted', () => {
      stop();
      return forever;
    });
    void home.module.importKits();
    await stopped;
    await home.clock.advance(31_000);
  }
  await home.module.importKits();
  const ended = await home.module.kitImports.get(operator, { id });
  assert.equal(ended.state, 'failed');
  assert.match(ended.failureMessage ?? '', /interrupted 5 times/);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'complete', changes: { added: 1 } });
});

test('a kit of feeds that is older than what another tenant has in force is refused', async () => {
  await using home = await kitSite();
  const older = await home.deliver({ 'one.json': osv('GHSA-1') });
  await home.importFolder((await home.deliver({ 'two.json': osv('GHSA-2') }, { sequence: 2 })).folder);
  const globex = people['other-airgap-operator'];
  await mkdir(join(home.dataDir, 'kits/inbox/globex'), { recursive: true });
  await rename(join(home.inbox, older.folder), join(home.dataDir, 'kits/inbox/globex/older'));
  const { id } = await home.module.kitImports.request(globex, { folder: 'older' });
  await home.module.importKits();
  const ended = await home.module.kitImports.get(globex, { id });
  assert.partialDeepStrictEqual(ended, { state: 'failed', failureCode: 'kit_rolled_back' });
  assert.deepEqual(await home.advisoryIds(), ['GHSA-2']);
});

test('a dry run keeps the parts for which an import waits', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1', { details: 'x'.repeat(9_000) }) });
  const rest = join(home.dataDir, 'rest');
  await rename(join(home.inbox, folder, 'part-00002'), rest);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'waiting', missingParts: [2] });
  await rename(rest, join(home.inbox, folder, 'part-00002'));
  assert.partialDeepStrictEqual(await home.importFolder(folder, { isDryRun: true }), { state: 'complete' });
  for (const part of ['part-00001', 'part-00002']) await rename(join(home.inbox, folder, part), `${rest}-${part}`);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'complete', missingParts: [] });
  assert.deepEqual(await readdir(join(home.dataDir, 'kits/quarantine/acme')), []);
});

test('a dry run and a refused import leave no parts of a kit that is on one medium', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  assert.partialDeepStrictEqual(await home.importFolder(folder, { isDryRun: true }), { state: 'complete' });
  const bad = await home.deliver({ 'two.txt': 'no feed' }, { sequence: 2 });
  assert.partialDeepStrictEqual(await home.importFolder(bad.folder), { state: 'failed' });
  assert.deepEqual(await readdir(join(home.dataDir, 'kits/quarantine/acme')), []);
});

test('the quarantine takes 20 kits, and loses those that nobody finishes', async () => {
  await using home = await kitSite();
  const quarantine = join(home.dataDir, 'kits/quarantine/acme');
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1', { details: 'x'.repeat(9_000) }) });
  const rest = join(home.dataDir, 'rest');
  await rename(join(home.inbox, folder, 'part-00002'), rest);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'waiting' });
  for (let index = 1; index < 20; index += 1)
    await mkdir(join(quarantine, String(index).padStart(64, '0'), 'parts'), { recursive: true });
  const next = await home.deliver({ 'two.json': osv('GHSA-2') });
  const refused = await home.importFolder(next.folder);
  assert.partialDeepStrictEqual(refused, { state: 'failed', failureCode: 'RES_CONFLICT' });

  const sweepAfter = async (days: number) => {
    const then = new Date(home.clock.now().getTime() - days * 86_400_000 - 1);
    for (const hex of await readdir(quarantine))
      for (const path of [join(quarantine, hex, 'parts'), join(quarantine, hex)]) await utimes(path, then, then);
    await home.module.sweepQuarantine();
    return (await readdir(quarantine)).length;
  };
  assert.equal(await sweepAfter(0), 20);
  assert.equal(await sweepAfter(1), 1);
  assert.equal(await sweepAfter(30), 0);
  await rename(rest, join(home.inbox, folder, 'part-00002'));
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'complete' });
});

test('an import that was queued before the seal is refused without a usable anchor', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  const { id } = await home.module.kitImports.request(operator, { folder });
  await home.module.seal.seal(operator, { policy: { allowLoopback: true, allowRules: [] } });
  await home.module.importKits();
  const ended = await home.module.kitImports.get(operator, { id });
  assert.partialDeepStrictEqual(ended, { state: 'failed', failureCode: 'airgap_anchor_unusable' });
  assert.deepEqual(await home.advisoryIds(), []);
});

test('a registry whose path leads elsewhere is refused', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  for (const registry of ['registry.example/../admin', 'registry.example/a/.', 'registry.example/..'])
    await assert.rejects(home.module.kitImports.request(operator, { folder, registry }), { status: 400 });
});
