import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

test('a credential that is replaced alone leaves the settings of its channel as they are', async () => {
  const eventsUrl = 'https://events.eu.pagerduty.example';
  const { channel: pager } = await module.channels.create(admin, {
    name: 'pager',
    pagerduty: { config: { eventsUrl }, credential: { routingKey: 'R1' } },
  });
  const updated = await module.channels.update(admin, {
    id: pager.id,
    pagerduty: { credential: { routingKey: 'R2' } },
  });
  assert.deepEqual(updated.config, { eventsUrl });
  const { channel: slack } = await module.channels.create(admin, {
    name: 'slack',
    slack: { config: { channel: 'C1' }, credential: { botToken: 'xoxb-1' } },
  });
  const rotated = await module.channels.update(admin, { id: slack.id, slack: { credential: { botToken: 'xoxb-2' } } });
  assert.deepEqual(rotated.config, { channel: 'C1' });
});

test('a secret that leaked is replaced at once, however many are in force', async () => {
  const { channel } = await app.webhook('https://hooks.example/landfall');
  const rotate = (overlapHours: number) => module.secrets.rotate(admin, { channelId: channel.id, overlapHours });
  for (let at = 0; at < 3; at++) await rotate(720);
  await assert.rejects(rotate(720), { code: 'RES_CONFLICT' });
  const { secret } = await rotate(0);
  const { secrets } = await module.secrets.get(admin, { channelId: channel.id });
  assert.deepEqual(
    secrets.map(({ hint }) => hint),
    [secret.slice(-4)],
  );
});

test('a group in a Slack channel that is given by its name posts anew where an update does not find it', async () => {
  await using sink = await startSink(({ path }) => ({
    body: path === '/chat.update' ? '{"ok": false, "error": "channel_not_found"}' : '{"ok": true, "ts": "17.1"}',
  }));
  const { channel } = await module.channels.create(admin, {
    name: 'named',
    slack: { config: { channel: '#releases', apiUrl: sink.url }, credential: { botToken: 'xoxb-1' } },
  });
  await app.rule(channel.id, { groupBy: ['kind'], groupWaitSeconds: 0, groupIntervalSeconds: 1 });
  for (const host of ['a', 'b']) {
    await app.accept({ attributes: { host, status: 'firing' } });
    for (let second = 0; second < 2; second++) {
      while ((await module.route()) > 0);
      await app.send();
      await app.clock.advance(1_000);
    }
  }
  assert.deepEqual(
    sink.received.map(({ path }) => path),
    ['/chat.postMessage', '/chat.update', '/chat.postMessage'],
  );
  const { items } = await module.deliveries.list(operator, { channelId: channel.id });
  assert.deepEqual(
    items.map(({ state }) => state),
    ['delivered', 'delivered'],
  );
});

test('an address that no channel can be sent to is refused with what it must look like', async () => {
  const address = /^must be an address such as https:/;
  for (const url of ['ftp://hooks.example/', 'https://ana:pw@hooks.example/', 'nowhere at all'])
    await assert.rejects(app.webhook(url), { code: 'VAL_INVALID_FORMAT', message: address }, url);
});

test('a saved credential is not sent to another address: whoever changes the address enters it again', async () => {
  const smtp = { host: 'smtp.example', port: 465, security: 'tls', from: 'a@acme.example', to: ['b@acme.example'] };
  const { channel: mail } = await module.channels.create(admin, {
    name: 'mail',
    email: { config: smtp, credential: { username: 'a', password: 'secret' } },
  });
  for (const change of [{ host: 'smtp.evil.example' }, { port: 25 }, { security: 'none' }])
    await assert.rejects(
      module.channels.update(admin, { id: mail.id, email: { config: { ...smtp, ...change } } }),
      { code: 'VAL_REQUIRED_FIELD', message: /^must be entered again/ },
      JSON.stringify(change),
    );
  const to = ['c@acme.example'];
  const kept = await module.channels.update(admin, { id: mail.id, email: { config: { ...smtp, to } } });
  assert.deepEqual(kept.config.to, to);
  const moved = await module.channels.update(admin, {
    id: mail.id,
    email: { config: { ...smtp, host: 'smtp.acme.example' }, credential: { username: 'a', password: 'secret' } },
  });
  assert.equal(moved.config.host, 'smtp.acme.example');
  const { channel: bot } = await module.channels.create(admin, {
    name: 'bot',
    slack: { config: { channel: 'C1' }, credential: { botToken: 'xoxb-1' } },
  });
  const config = { channel: 'C1', apiUrl: 'https://evil.example' };
  await assert.rejects(module.channels.update(admin, { id: bot.id, slack: { config } }), {
    code: 'VAL_REQUIRED_FIELD',
  });
  const { channel: open } = await module.channels.create(admin, { name: 'open', email: { config: smtp } });
  await module.channels.update(admin, { id: open.id, email: { config: { ...smtp, host: 'smtp.acme.example' } } });
});
