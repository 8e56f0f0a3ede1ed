import assert from 'node:assert/strict';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { airgapApp, operator } from '@landfall/airgap/testing/airgap-app';
import { temporary } from '@landfall/airgap/testing/kits';
import { createTenants } from '@landfall/authority';
import { until } from '@landfall/kernel/testing/until';
import { feedImporter } from '@landfall/scanner';
import { landfall } from './cli-process.fixture.ts';

const ADVISORY = JSON.stringify({
  id: 'GHSA-1',
  modified: '2026-01-01T00:00:00Z',
  affected: [{ package: { ecosystem: 'npm', name: 'gate' }, versions: ['1.0.0'] }],
});

/** A site of the tenant acme, a desk with two keys and a signed root, and the commands of both. */
const scenario = async () => {
  const site = await airgapApp(() => ({ feeds: feedImporter }));
  // Commands have the clock of the machine; a site that is behind it refuses their kits.
  await site.clock.advance(Math.max(0, Date.now() - site.clock.now().getTime()));
  const desk = await temporary();
  await createTenants(site.deps, 'operator').set({ tenant: operator.tenant, name: 'Acme' });
  const { host, database } = site.connection;
  const env = {
    INIT_CWD: desk.path,
    LANDFALL_DATA_DIR: site.dataDir,
    DATABASE_URL: `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(host)}`,
  };
  const run = (...args: string[]) => landfall(['kit', ...args], { env });
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return out;
  };
  for (const name of ['a.pem', 'b.pem']) await succeed('root', 'key', name);
  const keys = ['--key', 'a.pem.pub', '--key', 'b.pem.pub'];
  const created = await succeed(
    'root',
    'new',
    'root.json',
    '--version',
    '1',
    '--threshold',
    '2',
    '--expires',
    '2099-01-01T00:00:00Z',
    ...keys,
  );
  await succeed('root', 'sign', 'root.json', '--key', 'a.pem');
  return {
    ...site,
    desk: desk.path,
    /** Digest of the root, as its holders say it. */
    vouched: ['--digest', /sha256:[0-9a-f]{64}/.exec(created)?.[0] ?? ''],
    run,
    succeed,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
    },
  };
};

test('two holders of keys make a root and a kit, and a site imports it', async () => {
  await using home = await scenario();
  const { desk, run, succeed, vouched } = home;
  assert.equal((await stat(join(desk, 'a.pem'))).mode & 0o777, 0o600);
  assert.match((await run('root', 'install', 'root.json')).err, /The first root needs --digest/);
  const wrong = ['--digest', `sha256:${'0'.repeat(64)}`];
  assert.match((await run('root', 'install', 'root.json', ...wrong)).err, /Do not install it/);
  assert.match(
    (await run('root', 'install', 'root.json', ...vouched)).err,
    /lacks signatures of keys of root 1: it has 1 of 2/,
  );
  await succeed('root', 'sign', 'root.json', '--key', 'b.pem');
  await succeed('root', 'install', 'root.json', ...vouched);

  await writeFile(join(desk, 'one.json'), ADVISORY);
  const build = ['build', 'kit', 'one.json', '--root', 'root.json', '--key', 'a.pem', '--sequence', '1'];
  await writeFile(join(desk, 'other.json'), '{"name":"package"}');
  const broken = await run(...build.toSpliced(3, 0, 'other.json'));
  assert.deepEqual([broken.code, /other\.json would make sites refuse the kit/.test(broken.err)], [2, true]);
  await mkdir(join(desk, 'osv'));
  const directory = await run(...build.toSpliced(2, 1, 'osv'));
  assert.deepEqual(
    [directory.code, directory.err.trim()],
    [2, 'landfall: <feed> osv is a directory; name a file, or pack it as a ZIP archive.'],
  );
  assert.match((await run(...build.toSpliced(4, 1, 'osv'))).err, /osv is a directory; name a file/);
  assert.match(
    await succeed(...build),
    /Signatures that are missing: 1\. Next: landfall kit sign kit --root root\.json/,
  );
  const refused = await run('import', 'kit');
  assert.deepEqual([refused.code, refused.err.split(':', 1)[0]], [1, 'kit_untrusted']);
  await succeed('root', 'key', 'foreign.pem');
  const foreign = await run('sign', 'kit', '--root', 'root.json', '--key', 'foreign.pem');
  assert.deepEqual([foreign.code, /foreign\.pem is none of the keys of root 1/.test(foreign.err)], [2, true]);
  assert.match(await succeed('sign', 'kit', '--root', 'root.json', '--key', 'b.pem'), /of root 1: 2 of 2/);

  await rename(join(desk, 'kit/part-00001'), join(desk, 'part-00001'));
  assert.match((await run('import', 'kit', '--registry', 'a/../b')).err, /--registry must be/);
  assert.match(await succeed('import', 'kit'), /Parts are missing: 1/);
  await home.module.importKits();
  await rename(join(desk, 'part-00001'), join(desk, 'kit/part-00001'));
  await succeed('import', 'kit', '--tenant', 'acme');
  await home.module.importKits();
  const [imported] = (await home.module.kitImports.list(operator, {})).items;
  assert.partialDeepStrictEqual(imported, { state: 'complete', failureMessage: null, changes: { added: 1 } });
  assert.match(await succeed('import', 'kit'), /is installed already/);
});

test('a kit for a want-list omits what the site has, and has to be signed by the key of the site', async () => {
  await using home = await scenario();
  const { desk, run, succeed, vouched } = home;
  await succeed('root', 'sign', 'root.json', '--key', 'b.pem');
  await succeed('root', 'install', 'root.json', ...vouched);
  await writeFile(join(desk, 'one.json'), ADVISORY);
  await writeFile(join(desk, 'two.json'), ADVISORY.replace('GHSA-1', 'GHSA-2'));
  const signed = ['--root', 'root.json', '--key', 'a.pem', '--key', 'b.pem'];
  await succeed('build', 'first', 'one.json', ...signed, '--sequence', '1');
  assert.match((await run('import', 'first', '--fail-on', 'kev')).err, /--fail-on needs --dry-run/);
  for (const rule of ['foo', 'critical,,kev', '', 'score>=7', 'none']) {
    const refused = await run('import', 'first', '--dry-run', '--fail-on', rule);
    assert.equal(refused.code, 2, rule);
    assert.match(refused.err, /is no rule of --fail-on\. There is critical, high/);
  }
  assert.deepEqual((await home.module.kitImports.list(operator, {})).items, [], 'nothing is queued');
  const tried = succeed('import', 'first', '--dry-run', '--wait', '--fail-on', 'kev');
  await until(async () => (await home.module.importKits()) > 0);
  assert.match(
    await tried,
    /It would change:\s+Gate kev: 0 results would change, of 0 releases\.\s+Advisories: 1 new, /,
  );
  await succeed('import', 'first');
  await home.module.importKits();
  await succeed('want', 'want.json', '--key', 'a.pem');
  const wanted = ['build', 'second', 'one.json', 'two.json', ...signed, '--sequence', '2', '--want', 'want.json'];
  assert.equal((await run(...wanted, '--site-key', 'b.pem')).code, 2);
  assert.match(await succeed(...wanted, '--site-key', 'a.pem'), /^1 component, /m);
  await succeed('import', 'second');
  await home.module.importKits();
  const [imported] = (await home.module.kitImports.list(operator, {})).items;
  assert.partialDeepStrictEqual(imported, {
    state: 'complete',
    failureMessage: null,
    sequence: 2,
    changes: { added: 1 },
  });
});
