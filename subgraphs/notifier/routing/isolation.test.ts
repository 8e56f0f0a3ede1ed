import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

/** Makes PostgreSQL refuse rows of a table whose correlation id has a mark. */
const refuseRows = async (table: string, condition: string): Promise<void> => {
  const client = new pg.Client(app.connection);
  await client.connect();
  await client.query(`alter table notify.${table} add constraint refused check (${condition}) not valid`);
  await client.end();
};

const { channel } = await app.webhook('https://hooks.example/landfall');

const newest = async (kind: string) => {
  const [event] = (await module.explanation.list(operator, { kind })).items;
  return module.explanation.explain(operator, { id: event?.id });
};

test('an event whose routing PostgreSQL refuses is parked with its reason, and the others are told', async () => {
  await app.rule(channel.id);
  await refuseRows('deliveries', `body not like '%risk.poison%'`);
  for (const kind of ['risk.before', 'risk.poison', 'risk.after']) await app.accept({ kind });
  while ((await module.route()) > 0);
  const [before, poison, later] = await Promise.all(['risk.before', 'risk.poison', 'risk.after'].map(newest));
  assert.deepEqual([before?.deliveries.length, later?.deliveries.length], [1, 1]);
  assert.deepEqual(
    poison?.suppressions.map(({ policy, reason }) => [policy, reason]),
    [['error', 'An error of the notifier kept the message back. The log has it.']],
  );
});

test('an event that waited, and a group, whose messages PostgreSQL refuses stop no others', async () => {
  const now = app.clock.now();
  const time = (ms: number): string => new Date(now.getTime() + ms).toISOString().slice(11, 16);
  const muted = await module.policies.createTimeInterval(admin, {
    name: 'now',
    timeZone: 'UTC',
    periods: [{ times: [{ from: time(0), to: time(3_600_000) }] }],
  });
  const rule = (name: string, kinds: string[], action: object) =>
    module.rules.create(admin, {
      name,
      priority: 1,
      continues: false,
      matchers: [{ path: 'kind', op: 'in', values: kinds }],
      actions: [{ channelId: channel.id, templateKey: 'generic', ...action }],
    });
  await rule('waits', ['risk.poison.late', 'risk.late'], { mutedDuring: [muted.id] });
  await rule('groups', ['risk.poison.group', 'risk.group'], { groupBy: ['kind'], groupWaitSeconds: 60 });
  for (const kind of ['risk.poison.late', 'risk.late', 'risk.poison.group', 'risk.group']) await app.accept({ kind });
  while ((await module.route()) > 0);
  await app.clock.advance(3_600_000);
  while ((await module.route()) > 0);
  assert.equal((await newest('risk.late')).deliveries.length, 1);
  assert.equal((await newest('risk.group')).deliveries.length, 1);
  assert.equal((await newest('risk.poison.late')).suppressions[0]?.policy, 'error');
  assert.match((await newest('risk.poison.group')).groups[0]?.reason ?? '', /An error of the notifier/);
});
