import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFile } from '@landfall/kernel/db/process-lock';
import { badStarts } from './bad-start.fixture.ts';

// The full run has the other reasons; each is the rule of a test of its own besides.
test('a start that cannot be says why in one line: the setting, its value, and what to do', async () => {
  await using starts = await badStarts();
  const { refused, nowhere } = starts;
  assert.match(await refused({ LANDFALL_PORT: 'abc' }), /LANDFALL_PORT: must be a whole number .*"abc"/);
  assert.match(await refused({ DATABASE_URL: nowhere }), /DATABASE_URL: no PostgreSQL answers at .*; start it/);
});

test('a second start over the same data names the process that has it', async () => {
  await using starts = await badStarts();
  const data = join(starts.root, 'in-use');
  await mkdir(join(data, 'postgres'), { recursive: true });
  const unlock = await lockFile(join(data, 'postgres/owner'));
  const stderr = await starts.refused({ LANDFALL_DATA_DIR: data });
  await unlock();
  assert.ok(stderr.includes(`LANDFALL_DATA_DIR: ${data} is in use by process ${process.pid}; stop that one`), stderr);
});
