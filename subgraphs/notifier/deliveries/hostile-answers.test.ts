import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const notify = async (channelId: string) => {
  const rule = await app.rule(channelId);
  await app.accept();
  await module.route();
  await app.send();
  await module.rules.remove(admin, { id: rule.id });
  const { items } = await module.deliveries.list(operator, { channelId });
  return items[0] ?? assert.fail('there is no delivery');
};

test('an id of the receiver that no column can hold is passed over, and the delivery is settled', async () => {
  for (const key of ['a\u0000b', 'long'.repeat(5_000)]) {
    await using sink = await startSink(() => ({ status: 202, body: JSON.stringify({ dedup_key: key }) }));
    const { channel } = await module.channels.create(admin, {
      name: `pager ${app.deps.ids.uuid()}`,
      pagerduty: { config: { eventsUrl: sink.url }, credential: { routingKey: 'R' } },
    });
    const delivery = await notify(channel.id);
    assert.deepEqual([delivery.state, delivery.externalId], ['delivered', null]);
    await app.clock.advance(60_000);
    await app.send();
    assert.equal(sink.received.length, 1, 'it is not sent again');
  }
});

test('an error of the receiver that no column can hold is stored without what cannot be', async () => {
  await using sink = await startSink(() => ({ body: '{"ok": false, "error": "no\\u0000\\ud800pe"}' }));
  const { channel } = await module.channels.create(admin, {
    name: 'slack',
    slack: { config: { channel: 'C1', apiUrl: sink.url }, credential: { botToken: 'xoxb-1' } },
  });
  assert.equal((await notify(channel.id)).state, 'dead-lettered');
});
