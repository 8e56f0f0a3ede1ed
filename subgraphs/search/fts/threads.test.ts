import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@landfall/kernel/log';
import { chunkOf, numbersOf } from './fixtures.ts';
import { ThreadEnded } from './thread.ts';
import { ThreadedLane } from './threaded-lane.ts';

const query = { tenant: 'acme', text: 'overflow', limit: 5 };

test('when a thread dies the lane is cold until another has everything; what was asked of the dead one fails', async () => {
  await using lane = new ThreadedLane({ directory: undefined, log: silentLog });
  const change = (number: number) => ({ kind: 'put' as const, chunk: chunkOf(number, { title: 'heap overflow' }) });
  await lane.apply([1, 2, 3].map(change), '1-3');
  await lane.apply([{ kind: 'remove', number: 2 }], '1-4');
  lane.warm();
  const asked = lane.search(query);
  const died = lane.abandon();
  await assert.rejects(asked, ThreadEnded);
  await died;
  assert.equal(lane.state().state, 'cold');
  await lane.apply([change(4)], '1-5');
  while (lane.state().state === 'cold') await sleep(5);
  assert.deepEqual(numbersOf(await lane.search(query)), [1, 3, 4]);
  assert.equal(lane.state().chunks, 3);
  await lane.apply(
    Array.from({ length: 100 }, (_, i) => change(i + 10)),
    '2-1',
  );
  assert.equal(lane.state().chunks, 103);
});
