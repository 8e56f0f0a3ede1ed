import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendHostileInputs } from './hostile-inputs.fixture.ts';

test('whatever variant of an input is sent to an operation, it is answered or refused; nothing of it is a bug of ours', async () => {
  const { bugs, sent } = await sendHostileInputs(1);
  assert.deepEqual(bugs, []);
  assert.ok(sent > 7_000, `${sent} inputs`);
});
