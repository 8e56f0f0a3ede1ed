import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

test('two processes that route at once send no more than a throttle allows, also at the start of its window', async () => {
  const { channel } = await app.webhook('https://hooks.example/landfall');
  await app.rule(channel.id, { throttle: { key: [], max: 1, windowSeconds: 60 } });
  const planned = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  let turns = 0;
  using _pause = arm('notifier.event.planned', async () => {
    turns += 1;
    if (turns > 1) return;
    planned.resolve();
    await resumed.promise;
  });
  await app.accept();
  const first = module.route();
  await planned.promise;
  await app.accept();
  const second = module.route();
  resumed.resolve();
  await Promise.all([first, second]);
  const { items } = await module.deliveries.list(operator, { channelId: channel.id });
  assert.equal(items.length, 1);
  const { items: suppressed } = await module.deliveries.suppressions(operator, {});
  assert.deepEqual(
    suppressed.map(({ policy }) => policy),
    ['throttle'],
  );
});
