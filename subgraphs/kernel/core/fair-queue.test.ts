import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue, type FairQueueOptions } from './fair-queue.ts';
import { Fault } from './fault.ts';

/** Creates work that ends when the test says so, and records which has started. */
const bench = (limits: Omit<FairQueueOptions, 'waitMs'>, waitMs = 10_000) => {
  const queue = createFairQueue({ ...limits, waitMs });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun: started,
    send: (name: string) =>
      queue.run(name, async () => {
        started.push(name);
        await new Promise<void>((end) => ends.push(end));
        return name;
      }),
    /** Ends the oldest piece of work that runs, and lets what follows begin. */
    async end() {
      ends.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    /** Ends one piece after another until all that was sent is done. */
    async drain(sent: readonly Promise<string>[]) {
      let isDone = false;
      const all = Promise.all(sent).then(() => {
        isDone = true;
      });
      while (!isDone) await this.end();
      await all;
    },
    settle: () => new Promise((resolve) => setTimeout(resolve, 5)),
  };
};

test('who sends one piece waits for one of each other, not for all that they sent', async () => {
  const queue = bench({ atOnce: 1, each: 1 });
  const { begun: started, send } = queue;
  const many = Array.from({ length: 20 }, () => send('many'));
  const some = Array.from({ length: 3 }, () => send('some'));
  const one = send('one');
  await queue.drain([...many, ...some, one]);
  assert.deepEqual(started.slice(0, 7), ['many', 'some', 'one', 'many', 'some', 'many', 'some']);
  assert.equal(await one, 'one');
  assert.deepEqual((await Promise.all([...many, ...some])).length, 23);
});

test('no more run at once than may, of one name and of all', async () => {
  const { begun: started, send, settle, end } = bench({ atOnce: 3, each: 2 });
  const sent = ['a', 'a', 'a', 'b', 'b', 'c'].map(send);
  await settle();
  assert.deepEqual(started.toSorted(), ['a', 'a', 'b']);
  while (started.length < sent.length) await end();
  while ((await Promise.race([Promise.all(sent).then(() => true), end().then(() => false)])) === false) await end();
  assert.equal(started.length, 6);
});

test('work that fails gives its turn back', async () => {
  const queue = createFairQueue({ atOnce: 1, each: 1, waitMs: 10_000 });
  const failing = () => queue.run('a', () => Promise.reject(new Error('no')));
  await assert.rejects(failing);
  await assert.rejects(failing);
  assert.equal(await queue.run('a', async () => 7), 7);
});

test('who has no turn in time is told when to come back, and keeps no place in the line', async () => {
  const queue = bench({ each: 1 }, 50);
  const first = queue.send('slow');
  await assert.rejects(queue.send('slow'), (error) => {
    assert(error instanceof Fault);
    assert.deepEqual([error.code, error.details], ['SYS_OVERLOADED', { waitMs: 50, retryAfter: 5 }]);
    return true;
  });
  await queue.drain([first]);
  await queue.drain([queue.send('slow')]);
  assert.deepEqual(queue.begun, ['slow', 'slow']);
});

test('without a bound for all together, names that hold all their turns keep nobody else back', async () => {
  const queue = bench({ each: 4 });
  const waiting = ['tar', 'pitch'].flatMap((name) => Array.from({ length: 9 }, () => queue.send(name)));
  const other = queue.send('other');
  while (!queue.begun.includes('other')) await queue.settle();
  assert.deepEqual(queue.begun.toSorted(), ['other', ...Array(4).fill('pitch'), ...Array(4).fill('tar')]);
  await queue.drain([...waiting, other]);
});
