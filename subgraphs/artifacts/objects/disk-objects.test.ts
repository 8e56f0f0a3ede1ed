import assert from 'node:assert/strict';
import { mkdtemp, open, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { arm } from '@landfall/kernel/system/failpoint';
import { createDiskObjects } from './disk-objects.ts';

/** Paths that are synced from now on. */
const watchSyncs = async (t: TestContext, directory: string): Promise<string[]> => {
  const paths: string[] = [];
  await using handle = await open(directory);
  const prototype = Object.getPrototypeOf(handle);
  const { sync } = prototype;
  t.mock.method(prototype, 'sync', async function (this: typeof handle) {
    paths.push(await readlink(`/proc/self/fd/${this.fd}`));
    await sync.call(this);
  });
  return paths;
};

test('a put that finds the directory of another, which has not synced it yet, syncs its entry itself', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-objects-'));
  t.after(() => rm(directory, { recursive: true }));
  const at = (name: string) => join(directory, name);
  const objects = createDiskObjects({ objects: at('objects'), quarantine: at('quarantine'), trash: at('trash') });
  const put = async (key: string) => {
    const path = at(key.replaceAll('/', ' '));
    await writeFile(path, key);
    await objects.put(key, { path, sha256: sha256(key), sizeBytes: key.length });
  };
  const paths = await watchSyncs(t, directory);
  const pathsOf = async (key: string) => {
    paths.length = 0;
    await put(key);
    return paths.toSorted();
  };
  const leaf = at('objects/artifacts/shop/one');
  const parents = [leaf, dirname(leaf), at('objects/artifacts'), at('objects'), directory].toSorted();
  {
    using _ = arm('artifacts.put.placing', async () => {
      using _ = arm('artifacts.put.placing', () => {});
      assert.deepEqual(await pathsOf('artifacts/shop/one/b'), parents);
    });
    await put('artifacts/shop/one/a');
  }
  assert.deepEqual(await pathsOf('artifacts/shop/one/c'), [leaf], 'a directory that is on the disk costs no sync');
  assert.deepEqual(await pathsOf('artifacts/shop/two/d'), [dirname(leaf), at('objects/artifacts/shop/two')]);
});
