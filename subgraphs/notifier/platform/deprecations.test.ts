import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp({
  deprecations: () => [
    { api: 'POST /v1/search', sunset: new Date('2026-04-30T00:00:00Z'), successor: '/v1/search/query' },
  ],
});
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const announcements = async () =>
  (await module.explanation.list(operator, { kind: 'api.deprecation.announced' })).items;

// spec: 6/template-event
test('a tenant with rules is told of an interface that ends, once, and one without rules is not', async () => {
  await using sink = await startSink();
  await module.announceDeprecations();
  assert.equal((await announcements()).length, 0);
  const { channel } = await app.webhook(sink.url);
  await module.rules.create(admin, {
    name: 'ends',
    priority: 1,
    matchers: [{ path: 'kind', op: 'eq', values: ['api.deprecation.announced'] }],
    actions: [{ channelId: channel.id, templateKey: 'api.deprecation.announced' }],
  });
  for (let day = 0; day < 2; day++) await module.announceDeprecations();
  assert.equal((await announcements()).length, 1);
  await module.route();
  await app.send();
  const { summary } = JSON.parse(sink.received[0]?.body ?? '{}').data;
  assert.equal(summary, 'POST /v1/search ends on 2026-04-30');
});
