import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '@landfall/kernel/fault';
import fc from 'fast-check';
import { createTurns } from './turns.ts';

it('no more than so many go at once, all in their order, and a failure keeps no turn', async () => {
  const many = fc.array(fc.boolean(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), many, async (most, fails) => {
      const turns = createTurns(most, fails.length);
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
      const ended = await Promise.allSettled(fails.map((fail, at) => turns(() => act(fail, at))));
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

it('who would wait behind too many is told so at once', async () => {
  const turns = createTurns(1, 1);
  const gate = Promise.withResolvers<void>();
  const first = turns(() => gate.promise);
  const second = turns(async () => 'second');
  await assert.rejects(
    turns(async () => 'third'),
    (error) => error instanceof Fault && error.code === 'SYS_OVERLOADED',
  );
  gate.resolve();
  assert.equal(await second, 'second');
  await first;
});
