import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failpoints } from './crash.fixture.ts';
import { REPRESENTATIVE, testFailpoints } from './crash-failpoints.fixture.ts';

test('every failpoint of this run is in the source', async () => {
  const known = await failpoints();
  assert.deepEqual(
    REPRESENTATIVE.filter((name) => !known.includes(name)),
    [],
  );
});

testFailpoints(REPRESENTATIVE);
