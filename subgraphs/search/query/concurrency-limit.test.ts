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
      const turns = createConcurrencyLimit({ maxRunning: most, maxQueued: fails.length, maxQueuedEach: fails.length });
      const begun: number[] = [];
      let running = 0;
      const act = async (fail: boolean, at: number): Promise<void> => {
        begun.push(at);
        running += 1;
        assert.ok(running <= most);
        await nextTurn();
        running -= 1;
        if (fail) throw new Error('failed');
      };
      const ended = await Promise.allSettled(fails.map((fail, at) => turns('acme', () => act(fail, at))));
      assert.deepEqual(
        ended.map(({ status }) => status === 'rejected'),
        fails,
      );
      assert.deepEqual(
        begun,
        fails.map((_, at) => at),
      );
    }),
  );
});

const overloaded = (error: unknown): boolean => error instanceof Fault && error.code === 'SYS_OVERLOADED';

it('who would wait behind too many of its own, or of all, is told so at once', async () => {
  const turns = createConcurrencyLimit({ maxRunning: 1, maxQueued: 3, maxQueuedEach: 2 });
  const gate = Promise.withResolvers<string>();
  const asked = ['acme', 'acme', 'acme'].map((tenant) => turns(tenant, () => gate.promise));
  await assert.rejects(
    turns('acme', async () => 'another'),
    overloaded,
  );
  asked.push(turns('globex', () => gate.promise));
  await assert.rejects(
    turns('globex', async () => 'another'),
    overloaded,
  );
  gate.resolve('done');
  assert.deepEqual(await Promise.all(asked), ['done', 'done', 'done', 'done']);
  assert.equal(await turns('acme', async () => 'later'), 'later');
});

it('tenants wait in rotation: who asks much holds nobody else up', async () => {
  const turns = createConcurrencyLimit({ maxRunning: 1, maxQueued: 100, maxQueuedEach: 20 });
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const ask = (tenant: string) =>
    turns(tenant, async () => {
      await gate.promise;
      order.push(tenant);
    });
  const asked = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask);
  gate.resolve();
  await Promise.all(asked);
  assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});
