import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog, silentLog } from '@landfall/kernel/system/log';
import { chunkOf, numbersOf } from './chunks.fixture.ts';
import type { IndexChange, Lane } from './lane.ts';
import { createLane } from './threaded-lane.ts';

const puts = (from: number, to: number, title = 'heap overflow'): IndexChange[] =>
  Array.from({ length: to - from }, (_, i) => ({ kind: 'put', chunk: chunkOf(from + i, { title }) }));

const find = async (lane: Lane, text: string): Promise<number[]> =>
  numbersOf(await lane.search({ tenant: 'acme', text, limit: 5 }));

/** A directory of the test's own, and a log whose lines are kept. */
const setUp = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lane-'));
  const lines: string[] = [];
  const log = createLog({ level: 'warn' }, { write: (line) => void lines.push(line) });
  return {
    directory,
    lines,
    log,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
};

test('what has been applied can be found, few changes and many; the cursor follows', async () => {
  await using lane = await createLane({ directory: undefined, log: silentLog });
  assert.deepEqual(lane.state(), { state: 'cold', chunks: 0, segments: 0, cursor: '0-0' });
  await lane.apply(puts(1, 4), '1-3');
  assert.deepEqual(await find(lane, 'overflow'), [1, 2, 3]);
  await lane.apply(puts(4, 400, 'stack smash'), '1-399');
  await lane.apply([{ kind: 'remove', number: 2 }, ...puts(1, 2, 'gone elsewhere')], '2-1');
  assert.deepEqual(await find(lane, 'overflow'), [3]);
  assert.deepEqual(await find(lane, 'smash'), [4, 5, 6, 7, 8]);
  lane.warm();
  const { state, chunks, cursor } = lane.state();
  assert.deepEqual({ state, chunks, cursor }, { state: 'ready', chunks: 398, cursor: '2-1' });
});

test('segments are merged in the background while searches go on', async () => {
  await using lane = await createLane({ directory: undefined, log: silentLog });
  for (let batch = 0; batch < 30; batch++) {
    await lane.apply(puts(batch * 50 + 1, batch * 50 + 51), `1-${batch}`);
    assert.deepEqual(await find(lane, 'overflow'), [1, 2, 3, 4, 5]);
  }
  lane.warm();
  while (lane.state().segments > 8) await find(lane, 'overflow');
  assert.equal(lane.state().chunks, 1_500);
});

test('a snapshot opens with what had been applied, and follows what comes after', async () => {
  await using at = await setUp();
  {
    await using lane = await createLane(at);
    await lane.apply(puts(1, 300), '7-299');
    await lane.apply([{ kind: 'remove', number: 1 }], '8-1');
    await lane.snapshot();
    await lane.apply(puts(300, 310, 'not in it'), '9-1');
  }
  await using lane = await createLane(at);
  const { state, chunks, cursor } = lane.state();
  assert.deepEqual({ state, chunks, cursor }, { state: 'cold', chunks: 298, cursor: '8-1' });
  assert.deepEqual(await find(lane, 'overflow'), [2, 3, 4, 5, 6]);
  await lane.apply(puts(2, 3, 'replaced'), '9-1');
  await lane.snapshot();
  assert.deepEqual(await find(lane, 'overflow'), [3, 4, 5, 6, 7]);
  assert.deepEqual(at.lines, []);
});

test('what is on disk is for its owner alone, what an earlier release left there too', async () => {
  await using at = await setUp();
  const modes = async () =>
    Promise.all(
      ['.', ...(await readdir(directory))].map(async (file) => (await stat(join(directory, file))).mode & 0o777),
    );
  const directory = join(at.directory, 'index');
  {
    await using lane = await createLane({ ...at, directory });
    await lane.apply(puts(1, 300), '7-299');
    await lane.snapshot();
  }
  assert.deepEqual(await modes(), [0o700, 0o600, 0o600]);
  await chmod(directory, 0o755);
  for (const file of await readdir(directory)) await chmod(join(directory, file), 0o644);
  await writeFile(join(directory, 'index.json.new'), '');
  await using lane = await createLane({ ...at, directory });
  assert.deepEqual(await modes(), [0o700, 0o600, 0o600, 0o600]);
  await lane.apply(puts(300, 302), '8-1');
  await lane.snapshot();
  const now = await modes();
  assert.deepEqual(now, [0o700, ...now.slice(1).map(() => 0o600)]);
});

/** Every way in which a byte of a snapshot may be another. */
const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'cut short': (bytes) => bytes.subarray(0, bytes.length >> 1),
  empty: () => Buffer.alloc(0),
  'another byte': (bytes) => {
    const copy = Buffer.from(bytes);
    copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
    return copy;
  },
  'another file': () => Buffer.from('{"format":1,"segments":[]}'),
};

for (const [name, damage] of Object.entries(damages))
  for (const part of ['segment', 'json'])
    test(`a snapshot whose ${part} is ${name} is thrown away with a line in the log`, async () => {
      await using at = await setUp();
      {
        await using lane = await createLane(at);
        await lane.apply(puts(1, 100), '7-99');
        await lane.snapshot();
      }
      const files = (await readdir(at.directory)).filter((file) => file.endsWith(`.${part}`));
      for (const file of files) {
        const path = join(at.directory, file);
        await writeFile(path, damage(await readFile(path)));
      }
      assert.equal(files.length, 1);
      await using lane = await createLane(at);
      assert.deepEqual(lane.state(), { state: 'cold', chunks: 0, segments: 0, cursor: '0-0' });
      assert.deepEqual(await find(lane, 'overflow'), []);
      assert.deepEqual(
        at.lines.map((line) => /search snapshot thrown away/.test(line)),
        [true],
      );
      assert.deepEqual(await readdir(at.directory), []);
    });

test('a tenant that is cleared has nothing left; everything cleared is as at the beginning', async () => {
  await using lane = await createLane({ directory: undefined, log: silentLog });
  await lane.apply([...puts(1, 3), { kind: 'put', chunk: chunkOf(3, { tenant: 'other', title: 'heap' }) }], '5-3');
  await lane.clear('acme');
  assert.deepEqual(await find(lane, 'heap'), []);
  assert.equal(lane.state().chunks, 1);
  assert.equal(lane.state().cursor, '5-3');
  await lane.clear();
  assert.deepEqual([lane.state().chunks, lane.state().cursor], [0, '0-0']);
});
