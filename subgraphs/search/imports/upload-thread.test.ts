import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createUploadReader } from './upload-thread.ts';

const acme = toTenantId('acme');
const globex = toTenantId('globex');
const advisory = (id: string) => JSON.stringify({ id, modified: '2026-01-01T00:00:00Z', summary: `About ${id}` });

test('while a file is read others have their turns, and one that takes too long is refused', async () => {
  const read = createUploadReader(500);
  let isOver = false;
  let rounds = 0;
  const slow = read(acme, { fileName: 'x.yaml', content: '- {a: [b, c]}\n'.repeat(60_000) }).finally(() => {
    isOver = true;
  });
  const refused = assert.rejects(slow, (error) => error instanceof Fault && error.code === 'VAL_INVALID_VALUE');
  while (!isOver) {
    rounds += 1;
    await nextTurn();
  }
  await refused;
  assert.ok(rounds > 10);
  // Another tenant does not wait for it, and the same tenant can continue.
  const one = createUploadReader();
  const [own, other] = await Promise.all(
    [acme, globex].map((tenant) => one(tenant, { fileName: 'a.json', content: advisory('A-1') })),
  );
  assert.equal(own?.documents[0]?.documentKey, 'A-1');
  assert.deepEqual(own, other);
});

test('a short file that says one long thing of many documents is cut off, and says so', async () => {
  const text = 'x'.repeat(3_900);
  const components = Array.from({ length: 4_000 }, (_, i) => `{"name":"a${i}","description":"${text}"}`);
  const content = `{"bomFormat":"CycloneDX","components":[${components}]}`;
  const { documents, refusals, refused } = await createUploadReader()(acme, { fileName: 'x.json', content });
  assert.ok(documents.length > 1_000 && documents.length < 4_000);
  assert.equal(documents.length + refused, 4_000);
  assert.equal(refusals.length, 100);
  assert.match(refusals[0]?.reason ?? '', /says too much/);
});
