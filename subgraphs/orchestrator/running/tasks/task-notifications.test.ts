import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleId } from '@landfall/kernel/core/ids';
import { deployingApp } from '../../testing/deploying-app.ts';
import { createTaskNotifications } from './task-notifications.ts';

const { signal } = new AbortController();

test('a task wakes the polls of its agent alone, and idle agents cost one look together', async () => {
  await using app = await deployingApp();
  const notifications = createTaskNotifications(app.deps);
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const [busy, idle] = [await app.register(), await app.register()];
  await app.seed.target(environment, busy);
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  using forBusy = notifications.listen(busy.id);
  using others = new DisposableStack();
  const waiting = Array.from({ length: 50 }, () => others.use(notifications.listen(idle.id)));
  await app.launch(promotion.id);
  app.statements.length = 0;
  app.deps.hints.publish([]);
  assert.equal(await forBusy.awaitNotification(signal, 60_000), true);
  for (const each of waiting) assert.equal(await each.awaitNotification(signal, 0), false);
  assert.deepEqual([...new Set(app.statements)], ['orchestrator.tasks.listSummoned']);
  assert(app.statements.length < 50, `${app.statements.length} statements for 51 polls`);
});

test('what rings between a look and the wait is not lost; a client that leaves is not waited for', async () => {
  await using app = await deployingApp();
  const notifications = createTaskNotifications(app.deps);
  using subscription = notifications.listen(exampleId('Agent'));
  const leaving = new AbortController();
  leaving.abort();
  assert.equal(await subscription.awaitNotification(leaving.signal, 60_000), false);
  assert.equal(await subscription.awaitNotification(signal, 0), false);
});

test('closed notifications end the polls that wait, and those that come later at once', async () => {
  await using app = await deployingApp();
  const notifications = createTaskNotifications(app.deps);
  using subscription = notifications.listen(exampleId('Agent'));
  const startedAt = performance.now();
  const waiting = subscription.awaitNotification(signal, 60_000);
  notifications.close();
  assert.equal(await waiting, false);
  assert.equal(await subscription.awaitNotification(signal, 60_000), false);
  assert.ok(performance.now() - startedAt < 10_000);
});
