import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { billOf, operator } from '@landfall/artifacts/testing/artifact-app';
import { arm } from '@landfall/kernel/system/failpoint';
import { landfall } from '../cli/commands/cli-process.fixture.ts';
import { fill, migrationScenario } from './artifacts-migrate.fixture.ts';

const SERIAL = billOf().serialNumber;

test('the records of a source or of all are put once, by the id of a tenant, and the originals stay', async () => {
  // spec: 2.6/migration-options, spec: 2.6/migration-fallback, spec: 2.6/migration-resume, spec: 8/migration
  await using site = await migrationScenario();
  await fill(site);
  const before = await site.tree();
  const dry = await site.migrate('--dry-run');
  assert.deepEqual([dry.code, await site.records(), await site.files('incoming')], [0, [], []]);
  assert.match(dry.out, /^Dry run: 4 files: 4 new, 0 there already, 2 by their path/);

  assert.match((await site.migrate('--source', 'vex')).out, /^1 file: 1 new/);
  const all = await site.migrate('--batch-size', '1', '--parallelism', '2', '--verify');
  assert.equal(all.code, 0, all.err);
  assert.match(all.out, /^4 files: 3 new, 1 there already, 2 by their path, 0 originals removed, 4 verified, 0 left/);
  // One line of progress a batch and pass, in the order of paths.
  const lines = all.err.split('\n').map((line) => line.split(':')[0]);
  const order = ['evidence/shop.json', 'evidence/shop/bom.json', 'attestor/a b/ü.dsse', 'vex/one.json'];
  assert.deepEqual(lines, [...order, ...order, '']);
  const [dsse, vex, ...bills] = await site.records();
  assert.match(dsse ?? '', /^pkg:landfall\/legacy\/attestor%2Fa%20b%2F%C3%BC.dsse urn:uuid:[0-9a-f-]{36} /);
  assert.match(vex ?? '', /^pkg:landfall\/legacy\/vex%2Fone.json urn:uuid:[0-9a-f-]{36} /);
  assert.ok(bills.length === 2 && bills.every((line) => line.includes(SERIAL)));

  const records = await site.records();
  const again = await site.migrate('--resume');
  assert.match(again.err, /^There is no checkpoint: the tree is scanned again/);
  assert.match(again.out, /^4 files: 0 new, 4 there already/);
  assert.deepEqual([await site.records(), await site.tree()], [records, before]);
  const { counts, tenant } = await site.report();
  assert.deepEqual([counts.found, counts.unmatched, tenant], [4, 0, operator.tenant]);
});

test('what is no record is left behind with its reason, and nothing is followed out of the tree', async () => {
  await using site = await migrationScenario();
  const { add, dataDir } = site;
  const outside = join(dataDir, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret.json'), JSON.stringify(billOf()));
  const file = await add('evidence/good.json', billOf());
  const directory = join(file, '..');
  await symlink(join(outside, 'secret.json'), join(directory, 'link.json'));
  await symlink(outside, join(directory, 'linked'));
  await symlink(outside, join(dataDir, 'legacy', 'vex'));
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  execFileSync('sh', [
    '-c',
    String.raw`for end in '\001' '\002' '\377'; do mkfifo "$1/fifo$(printf "$end")"; done`,
    'sh',
    directory,
  ]);
  await truncate(await add('evidence/huge.bin', ''), 100_001);
  await link(file, join(directory, 'same.json'));
  await writeFile(Buffer.concat([Buffer.from(`${directory}/odd`), Buffer.from([0xff, 0x0a])]), 'odd');

  const { code, out } = await site.migrate('--verify');
  assert.equal(code, 1);
  assert.match(out, /^11 files: 2 new, 1 there already, 1 by their path, 0 originals removed, 3 verified, 8 left/);
  const { unmatched } = await site.report();
  const reasons = Object.fromEntries(
    unmatched.map(({ path, reason }: { path: string; reason: string }) => [path, reason]),
  );
  assert.deepEqual(reasons, {
    'evidence/fifo%01': 'It is no regular file.',
    'evidence/fifo%02': 'It is no regular file.',
    'evidence/fifo%FF': 'It is no regular file.',
    'evidence/huge.bin': 'The artifact is larger than 100000 bytes.',
    'evidence/link.json': 'It is a link.',
    'evidence/linked': 'It is a link.',
    'evidence/pipe': 'It is no regular file.',
    'vex/': 'The directory cannot be read (it leads elsewhere).',
  });
  assert.ok((await site.records()).some((line) => line.startsWith('pkg:landfall/legacy/evidence%2Fodd%FF%0A ')));
  assert.equal((await readFile(join(outside, 'secret.json'))).length > 0, true);
});

test('originals go once their stored bytes are verified, and stay where they are not', async () => {
  await using site = await migrationScenario();
  await fill(site);
  const spoilt = await site.add('evidence/spoilt.json', {
    bomFormat: 'CycloneDX',
    metadata: { component: { purl: 'p' } },
  });
  {
    using _ = arm('artifacts.migrate.stored', async () => {
      for (const path of await site.files('objects'))
        if (path.includes('artifacts/p/')) await writeFile(path, 'changed');
    });
    const { code, out } = await site.migrate('--copy=false', '--parallelism', '1');
    assert.match(`${code} ${out}`, /^1 5 files: 4 new, .* 4 originals removed, 0 verified, 1 left/);
  }
  assert.deepEqual(await site.tree(), ['evidence/spoilt.json']);
  const { unmatched } = await site.report();
  assert.match(unmatched[0].reason, /^Its stored bytes are not whole: /);
  await rm(spoilt);
  assert.match((await site.migrate('--copy=false')).out, /^0 files/);
});

test('a second pass names the records that the store does not have as they are', async () => {
  await using site = await migrationScenario();
  await fill(site);
  using _ = arm('artifacts.migrate.verifying', async () => {
    const [path = ''] = (await site.files('objects')).filter((each) => each.includes('shop'));
    await writeFile(path, 'changed');
    await site.add('vex/late.json', {});
  });
  const { code } = await site.migrate('--verify');
  assert.equal(code, 1);
  const { unmatched } = await site.report();
  assert.deepEqual(
    unmatched.map(({ reason }: { reason: string }) => reason.replace(/ has \d.*/, ' has …')),
    [
      'Its stored bytes are not whole: The object has …',
      'The store has no record of it.',
      'Of 4 records 5 were found by the second pass.',
    ],
  );
});

test('options that cannot be right are refused before anything is read', async () => {
  await using site = await migrationScenario();
  await fill(site);
  for (const [more, message] of [
    [['--source', 'other'], /--source must be one of evidence, attestor, vex, all/],
    [['--parallelism', '0'], /--parallelism must be a whole number from 1 to 64/],
    [['--batch-size', 'x'], /--batch-size must be a whole number from 1 to 10000/],
    [['--copy=maybe'], /--copy must be true or false/],
    [['--report', 'legacy/evidence/report.json'], /--report must not be in a directory that is migrated/],
    [['--tenant', '0197c0de-0000-7000-8000-0000000000ff'], /There is no tenant 0197c0de/],
  ] as const) {
    const { code, err } = await site.migrate(...more);
    assert.equal(code, 2);
    assert.match(err, message);
  }
  const nowhere = await landfall(['artifacts', 'migrate', 'nowhere', '--tenant', site.id], { env: site.env });
  assert.deepEqual([nowhere.code, /nowhere cannot be read \(ENOENT\)/.test(nowhere.err)], [2, true]);
  assert.deepEqual(await site.records(), []);
});
