import assert from 'node:assert/strict';
import { access, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import { bodyOf, bomThrough } from '../testing/bom.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const HOUR_MS = 3_600_000;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

test('a folder that a killed process left behind is removed with the first bill, and one in use stays', async () => {
  await using app = await scannerApp();
  const folderOf = async (ageMs: number): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'landfall-sbom-'));
    await writeFile(join(path, 'sbom.gz'), 'half of a bill');
    const time = new Date(app.deps.clock.now().getTime() - ageMs);
    await utimes(path, time, time);
    return path;
  };
  const [abandoned, used] = [await folderOf(2 * HOUR_MS), await folderOf(HOUR_MS / 2)];
  const { digest } = await app.module.scans.receive(people['scan-operator'], bodyOf(bomThrough('wall')));
  assert.match(digest, /^sha256:/);
  assert.deepEqual([await exists(abandoned), await exists(used)], [false, true]);
  await rm(used, { recursive: true });
});
