import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastLines, newLog } from './log-file.ts';

test('lines are the last that fit, whole, and say which component wrote them', () => {
  assert.equal(lastLines('web', '', 100), '');
  assert.equal(lastLines('web', 'one\ntwo\n', 100), 'web | one\nweb | two\n');
  assert.equal(lastLines('web', 'one\ntwo\nthree', 22), 'web | two\nweb | three\n');
  assert.equal(lastLines('web', 'one\ntwo\nthree', 21), 'web | three\n');
  assert.equal(lastLines('web', 'one\nabcdefghij', 10), 'web | hij\n');
  assert.equal(lastLines('web', 'one', 7), '');
});

test('each start has a log of its own, and the oldest make room', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-logs-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const component of ['web', 'web.api']) await writeFile(join(directory, await newLog(directory, component)), '');
  assert.deepEqual((await readdir(directory)).toSorted(), ['web.1.log', 'web.api.1.log']);
  for (let nth = 0; nth < 40; nth++)
    await writeFile(join(directory, await newLog(directory, 'web', ['web.2.log'])), '');
  const remaining = (await readdir(directory)).filter((name) => name.startsWith('web.') && !name.startsWith('web.api'));
  assert.equal(remaining.length, 33);
  assert.ok(remaining.includes('web.2.log'), 'but for the one in use');
  assert.ok(remaining.includes('web.41.log'));
});
