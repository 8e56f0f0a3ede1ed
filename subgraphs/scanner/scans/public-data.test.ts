import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps } from '@landfall/kernel/module';
import { testDeps } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import { importFeeds } from '../feeds/feed-import.ts';
import { createManifests } from '../manifests/manifests.ts';
import { bodyOf } from '../testing/bom.ts';
import { NO_PRODUCTS } from '../triage/product-directory.ts';
import { createScanWorker } from './scan-worker.ts';
import { createScans } from './scans.ts';

const who = caller({ subject: 'ci', scopes: ['scanner:read', 'scanner:write'] });

const ADVISORIES = ['advisories-pypa', 'advisories-almalinux', 'advisories-small', 'advisory-samples'];

type Files = ReadonlyMap<string, string>;

/** Files of archives; skips the test where one is absent. */
const filesOf = (t: TestContext, names: readonly string[]): Files => {
  const files = new Map<string, string>();
  for (const name of names) {
    const found = readPublicData(name);
    if (!found) t.skip('the public test data is not beside the repository');
    for (const [path, text] of found ?? []) if (!path.endsWith('/')) files.set(path, text);
  }
  return files;
};

/** Writes files below a directory of the test's own. */
const write = async (t: TestContext, files: Files): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-public-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [path, text] of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
};

/** Scans a bill. @returns the scan, or undefined where the bill is refused */
const scan = async (deps: Deps, path: string, text: string) => {
  const scans = createScans({ ...deps, products: NO_PRODUCTS });
  try {
    const { digest: sbomDigest } = await scans.receive(who, bodyOf(text));
    const { scan: requested } = await scans.create(who, { sbomDigest, name: path.slice(-200) });
    const manifests = createManifests({ ...deps, signingKeys: createSigningKeys(deps) });
    await createScanWorker({
      ...deps,
      products: NO_PRODUCTS,
      manifests,
      maxAttempts: 1,
      scannerVersion: '1.0.0',
    }).turn();
    return await scans.get(who, { id: requested.id });
  } catch (error) {
    assert.ok(error instanceof Fault && error.status === 400, `${path}: ${String(error)}`);
    return undefined;
  }
};

test('a directory of public advisories is imported once, and what is none of them is named', async (t) => {
  const files = filesOf(t, ADVISORIES);
  if (files.size === 0) return;
  await using base = await testDeps();
  const directory = await write(t, files);
  const first = await importFeeds(base.deps, [{ path: directory, name: directory }]);
  const again = await importFeeds(base.deps, [{ path: directory, name: directory }]);
  const { written, unchanged, older } = first.advisories;
  assert.deepEqual(
    [again.advisories.written, again.advisories.unchanged + again.advisories.older],
    [0, written + unchanged + older],
  );
  assert.equal(written + unchanged + older + first.refused.length + first.skipped, files.size);
  assert.ok(written > 4_000);
});

test('the SBOMs that projects publish are scanned, or refused with a reason', async (t) => {
  const [advisories, sboms] = [filesOf(t, ['advisory-samples']), filesOf(t, ['sboms-in-the-wild'])];
  if (advisories.size === 0 || sboms.size === 0) return;
  await using base = await testDeps();
  const directory = await write(t, advisories);
  await importFeeds(base.deps, [{ path: directory, name: directory }]);
  const scans = new Map<string, Awaited<ReturnType<typeof scan>>>();
  for (const [path, text] of sboms) scans.set(path, await scan(base.deps, path, text));
  const completed = [...scans.values()].filter((each) => each?.status === 'completed');
  // Three files say where the others come from, and one is a list without a format.
  assert.deepEqual([completed.length, scans.size - completed.length], [23, 4]);
  const findings = completed.map((each) => each?.findingCount ?? 0).reduce((sum, count) => sum + count, 0);
  assert.ok(findings >= 15, `${findings} findings`);
});
