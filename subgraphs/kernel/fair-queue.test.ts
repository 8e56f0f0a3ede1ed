import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue } from './fair-queue.ts';

/** Work that is done when it is told to be, and what has begun so far. */
const bench = (limits: { readonly atOnce: number; readonly each: number }) => {
  const queue = createFairQueue(limits);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    send: (name: string) =>
      queue.run(name, async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.push(end));
        return name;
      }),
    /** Ends the oldest piece of work that runs, and lets what follows begin. */
    async end() {
      ends.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    settle: () => new Promise((resolve) => setTimeout(resolve, 5)),
  };
};

test('who sends one piece waits for one of each other, not for all that they sent', async () => {
  const { begun, send, end, settle } = bench({ atOnce: 1, each: 1 });
  const many = Array.from({ length: 20 }, () => send('many'));
  const some = Array.from({ length: 3 }, () => send('some'));
  const one = send('one');
  for (let at = 0; at < 24; at += 1) {
    await settle();
    await end();
  }
  assert.deepEqual(begun.slice(0, 7), ['many', 'some', 'one', 'many', 'some', 'many', 'some']);
  assert.equal(await one, 'one');
  assert.deepEqual((await Promise.all([...many, ...some])).length, 23);
});

test('no more run at once than may, of one name and of all', async () => {
  const { begun, send, settle, end } = bench({ atOnce: 3, each: 2 });
  const sent = ['a', 'a', 'a', 'b', 'b', 'c'].map(send);
  await settle();
  assert.deepEqual(begun.toSorted(), ['a', 'a', 'b']);
  while (begun.length < sent.length) await end();
  while ((await Promise.race([Promise.all(sent).then(() => true), end().then(() => false)])) === false) await end();
  assert.equal(begun.length, 6);
});

test('work that fails gives its turn back', async () => {
  const queue = createFairQueue({ atOnce: 1, each: 1 });
  const failing = () => queue.run('a', () => Promise.reject(new Error('no')));
  await assert.rejects(failing);
  await assert.rejects(failing);
  assert.equal(await queue.run('a', async () => 7), 7);
});
