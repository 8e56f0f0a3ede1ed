import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '@landfall/kernel/core/fault';
import fc from 'fast-check';
import { createConcurrencyLimit } from './concurrency-limit.ts';

it('no more than so many go at once, all in their order, and a failure keeps no turn', async () => {
  const many = fc.array(fc.boolean(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), many, async (most, fails) => {
      const rounds = createConcurrencyLimit({ maxRunning: most, maxQueued: fails.length, maxQueuedEach: fails.length });
      const started: number[] = [];
      let running = 0;
      const run = async (fail: boolean, index: number): Promise<void> => {
        started.push(index);
        running += 1;
        assert.ok(running <= most);
        await nextTurn();
        running -= 1;
        if (fail) throw new Error('failed');
      };
      const completed = await Promise.allSettled(fails.map((fail, index) => rounds('acme', () => run(fail, index))));
      assert.deepEqual(
        completed.map(({ status }) => status === 'rejected'),
        fails,
      );
      assert.deepEqual(
        started,
        fails.map((_, index) => index),
      );
    }),
  );
});

const overloaded = (error: unknown): boolean => error instanceof Fault && error.code === 'SYS_OVERLOADED';

it('who would wait behind too many of its own, or of all, is told so at once', async () => {
  const rounds = createConcurrencyLimit({ maxRunning: 1, maxQueued: 3, maxQueuedEach: 2 });
  const gate = Promise.withResolvers<string>();
  const requests = ['acme', 'acme', 'acme'].map((tenant) => rounds(tenant, () => gate.promise));
  await assert.rejects(
    rounds('acme', async () => 'another'),
    overloaded,
  );
  requests.push(rounds('globex', () => gate.promise));
  await assert.rejects(
    rounds('globex', async () => 'another'),
    overloaded,
  );
  gate.resolve('done');
  assert.deepEqual(await Promise.all(requests), ['done', 'done', 'done', 'done']);
  assert.equal(await rounds('acme', async () => 'later'), 'later');
});

it('tenants wait in rotation: who asks much holds nobody else up', async () => {
  const rounds = createConcurrencyLimit({ maxRunning: 1, maxQueued: 100, maxQueuedEach: 20 });
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const ask = (tenant: string) =>
    rounds(tenant, async () => {
      await gate.promise;
      order.push(tenant);
    });
  const requests = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask);
  gate.resolve();
  await Promise.all(requests);
  assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});
