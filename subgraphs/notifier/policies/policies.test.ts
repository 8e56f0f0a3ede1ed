import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const matchers = [{ path: 'kind', op: 'eq', values: ['risk.host'] }];

const silence = (name: string) =>
  module.policies.createSilence(operator, {
    name,
    matchers,
    endsAt: new Date(app.clock.now().getTime() + MINUTE_MS).toISOString(),
    reason: 'upgrade',
  });

// spec: rulings/31
test('an operator ends a silence, and only an administrator ends what administrators make', async () => {
  const { id } = await silence('short');
  await module.policies.end(operator, { id });
  const flapping = await module.policies.createFlapping(admin, {
    name: 'checks',
    matchers,
    minChanges: 4,
    windowSeconds: 600,
    quietSeconds: 900,
  });
  await assert.rejects(module.policies.end(operator, { id: flapping.id }), { code: 'PERM_SCOPE_DENIED' });
  await module.policies.end(admin, { id: flapping.id });
});

test('a silence that ended gives way to another of its name, and none of them counts for the limit', async () => {
  await silence('deploy');
  await assert.rejects(silence('deploy'), { code: 'RES_ALREADY_EXISTS' });
  for (let at = 0; at < 3; at++) {
    await app.clock.advance(MINUTE_MS);
    await silence('deploy');
  }
  const listed = async () => (await module.policies.list(operator, {})).map(({ name }) => name);
  assert.deepEqual(await listed(), ['deploy']);
  await app.clock.advance(8 * DAY_MS);
  await silence('another');
  assert.deepEqual(await listed(), ['another']);
});

test('the count of a throttle is deleted after its window', async () => {
  const { channel } = await app.webhook('https://hooks.example/landfall');
  await app.rule(channel.id, { throttle: { key: ['payload.score'], max: 1, windowSeconds: 60 } });
  await app.accept();
  await module.route();
  const counted = async () =>
    (
      await app.rows(table('counted', { count }), sql`/* test */ select count(*) as count from notify.throttle_counts`)
    )[0]?.count;
  await module.removeOld();
  assert.equal(await counted(), 1);
  await app.clock.advance(MINUTE_MS);
  await module.removeOld();
  assert.equal(await counted(), 0);
});

test('an interval that a rule names is ended only once no rule does', async () => {
  const interval = await module.policies.createTimeInterval(admin, {
    name: 'nights',
    timeZone: 'UTC',
    periods: [{ times: [{ from: '22:00', to: '24:00' }] }],
  });
  const { channel } = await app.webhook('https://hooks.example/nights');
  const rule = await app.rule(channel.id, { mutedDuring: [interval.id] });
  await assert.rejects(module.policies.end(admin, { id: interval.id }), { code: 'RES_CONFLICT' });
  await module.rules.remove(admin, { id: rule.id });
  await module.policies.end(admin, { id: interval.id });
});
