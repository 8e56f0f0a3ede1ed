import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendHostileInputs } from './hostile-inputs.fixture.ts';

// The full run sends every variant.
// spec: rulings/21
test('whatever is sent to an operation, it is answered or refused; nothing of it is a bug of ours', async () => {
  const { bugs, sent } = await sendHostileInputs(7);
  assert.deepEqual(bugs, []);
  assert.ok(sent > 1_000, `${sent} inputs`);
});
