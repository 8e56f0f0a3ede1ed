import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const { channel } = await app.webhook('https://hooks.example/landfall');
const HOUR_MS = 3_600_000;

const forRisk = (kind: string) => [{ path: 'kind', op: 'eq', values: [kind] }];

/** Accepts and routes an event of a kind. @returns its explanation */
const explained = async (kind: string, event: Readonly<Record<string, unknown>> = {}) => {
  await app.accept({ kind, ...event });
  await module.route();
  const [found] = (await module.explanation.list(operator, { kind })).items;
  return module.explanation.explain(operator, { id: found?.id });
};

const rule = (name: string, input: Readonly<Record<string, unknown>>) =>
  module.rules.create(admin, {
    name,
    priority: 10,
    actions: [{ channelId: channel.id, templateKey: 'generic' }],
    ...input,
  });

const ownTemplate = (key: string): string =>
  JSON.stringify({
    schemaVersion: 'notify.template.event@1',
    templateId: `own-${key.replaceAll('.', '-')}`,
    tenantId: 'acme',
    channelType: 'webhook',
    key,
    locale: 'en-US',
    body: '{"words": "our own {{ event.kind }}"}',
    renderMode: 'json',
    format: 'json',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  });

test('an explanation says of every rule why it did or did not tell, by the rules of the time', async () => {
  const first = await rule('first', { matchers: forRisk('risk.a'), continues: false });
  await rule('second', { matchers: forRisk('risk.a'), priority: 20 });
  await rule('third', { matchers: forRisk('risk.b'), priority: 5 });
  await rule('off', { matchers: [], isEnabled: false, priority: 30 });
  const before = await explained('risk.a');
  assert.deepEqual(
    before.rules.map(({ name, outcome, reason }) => [name, outcome, reason]),
    [
      ['third', 'failed', 'The event’s kind is “risk.a”; the rule wants eq “risk.b”.'],
      ['first', 'matched', 'All its matchers match.'],
      ['second', 'not_reached', 'The rule first matched before and does not continue.'],
      ['off', 'disabled', 'The rule is disabled.'],
    ],
  );
  assert.equal(before.deliveries.length, 1);
  await module.rules.remove(admin, { id: first.id });
  const after = await module.explanation.explain(operator, { id: before.event.id });
  assert.deepEqual(after.rules, before.rules);
});

test('an event that no rule wants is routed and explained too', async () => {
  const { event, rules, deliveries } = await explained('risk.nobody');
  assert.notEqual(event.routedAt, null);
  assert.ok(rules.every(({ outcome }) => outcome !== 'matched'));
  assert.equal(deliveries.length, 0);
});

test('a silence keeps messages back until it ends, with its reason and the name of who made it', async () => {
  app.directory.add(operator.subject, 'Olga Operator');
  await rule('loud', { matchers: forRisk('risk.loud') });
  const silence = await module.policies.createSilence(operator, {
    name: 'upgrade',
    matchers: forRisk('risk.loud'),
    endsAt: new Date(app.clock.now().getTime() + HOUR_MS).toISOString(),
    reason: 'database upgrade',
  });
  const { deliveries, suppressions } = await explained('risk.loud');
  assert.equal(deliveries.length, 0);
  assert.match(suppressions[0]?.reason ?? '', /^Silenced until .* by Olga Operator: database upgrade$/);
  await module.policies.end(operator, { id: silence.id });
  assert.equal((await explained('risk.loud')).deliveries.length, 1);
});

test('maintenance lets what is resolved pass', async () => {
  await rule('works', { matchers: forRisk('risk.works') });
  const endsAt = new Date(app.clock.now().getTime() + HOUR_MS).toISOString();
  await module.policies.createMaintenance(operator, { name: 'works', matchers: forRisk('risk.works'), endsAt });
  assert.equal((await explained('risk.works')).suppressions[0]?.policy, 'maintenance');
  const { deliveries } = await explained('risk.works', { attributes: { status: 'resolved' } });
  assert.deepEqual(
    deliveries.map(({ reason }) => reason),
    ['resolved'],
  );
});

test('a muted interval holds an event until it ends, and then it is sent once', async () => {
  const now = app.clock.now();
  const time = (ms: number): string => new Date(now.getTime() + ms).toISOString().slice(11, 16);
  const muted = await module.policies.createTimeInterval(admin, {
    name: 'now',
    timeZone: 'UTC',
    periods: [{ times: [{ from: time(0), to: time(HOUR_MS) }] }],
  });
  await rule('later', {
    matchers: forRisk('risk.later'),
    actions: [{ channelId: channel.id, templateKey: 'generic', mutedDuring: [muted.id] }],
  });
  const { event, waiting, deliveries } = await explained('risk.later');
  assert.deepEqual([waiting.length, deliveries.length], [1, 0]);
  assert.match(waiting[0]?.reason ?? '', /^Muted during now until/);
  await app.clock.advance(HOUR_MS);
  assert.equal(await module.route(), 1);
  assert.equal(await module.route(), 0);
  const later = await module.explanation.explain(operator, { id: event.id });
  assert.deepEqual([later.waiting.length, later.deliveries.length], [0, 1]);
});

test('a throttle counts by its key, and its window begins anew', async () => {
  await rule('thrifty', {
    matchers: forRisk('risk.thrifty'),
    actions: [
      {
        channelId: channel.id,
        templateKey: 'generic',
        throttle: { key: ['attributes.environment'], max: 2, windowSeconds: 60 },
      },
    ],
  });
  const policies: (string | undefined)[] = [];
  for (const environment of ['a', 'a', 'a', 'b']) {
    const { suppressions } = await explained('risk.thrifty', { attributes: { environment } });
    policies.push(suppressions[0]?.policy);
  }
  assert.deepEqual(policies, [undefined, undefined, 'throttle', undefined]);
  await app.clock.advance(60_000);
  assert.deepEqual((await explained('risk.thrifty', { attributes: { environment: 'a' } })).suppressions, []);
});

test('a rule that names a template that is not in force is refused, and one that lost its template suppresses with the reason', async () => {
  const wordless = () =>
    rule('wordless', {
      matchers: forRisk('risk.wordless'),
      actions: [{ channelId: channel.id, templateKey: 'no.such' }],
    });
  await assert.rejects(wordless(), {
    code: 'RES_NOT_FOUND',
    message: 'There is no published template no.such for channels of type webhook. Publish it first.',
  });
  const { template } = await module.templates.save(admin, { document: ownTemplate('no.such') });
  await assert.rejects(wordless(), { code: 'RES_NOT_FOUND' });
  await module.templates.publish(admin, { id: template.id });
  await wordless();
  await module.templates.remove(admin, { id: template.id });
  const { suppressions } = await explained('risk.wordless');
  assert.deepEqual(
    suppressions.map(({ policy }) => policy),
    ['template_missing'],
  );
  assert.match(suppressions[0]?.reason ?? '', /no published template no\.such/);
});

test('a channel or template that somebody else changed since it was read is not overwritten', async () => {
  const { channel: read } = await app.webhook('https://hooks.example/read');
  const stale = { code: 'RES_VERSION_CONFLICT', message: /Load it again, then repeat your change\.$/ };
  const rename = (name: string) => module.channels.update(admin, { id: read.id, expectedVersion: read.version, name });
  await rename('renamed');
  await assert.rejects(rename('renamed again'), stale);
  const { template } = await module.templates.save(admin, { document: ownTemplate('test') });
  const { id, version: expectedVersion } = template;
  const save = () => module.templates.save(admin, { document: ownTemplate('test'), expectedVersion });
  await save();
  await assert.rejects(save(), stale);
  await assert.rejects(module.templates.publish(admin, { id, expectedVersion }), stale);
});

test('a published template of the tenant goes before the one that is shipped; a draft does not', async () => {
  const document = ownTemplate('generic');
  await assert.rejects(module.templates.save(admin, { document: document.replace('"acme"', '"_system"') }), {
    code: 'PERM_TENANT_MISMATCH',
    message: /Enter acme as its tenantId\.$/,
  });
  await rule('worded', { matchers: forRisk('risk.worded') });
  const { template } = await module.templates.save(admin, { document });
  const bodyOf = async () => {
    const { deliveries } = await explained('risk.worded');
    return (await app.messageOf(deliveries[0]?.id)).body;
  };
  assert.doesNotMatch(await bodyOf(), /our own/);
  await module.templates.publish(admin, { id: template.id });
  assert.match(await bodyOf(), /our own risk\.worded/);
  await module.templates.remove(admin, { id: template.id });
  assert.doesNotMatch(await bodyOf(), /our own/);
});

test('a process that ends while it routes loses nothing and sends nothing twice', async () => {
  await rule('safe', { matchers: forRisk('risk.safe') });
  await app.accept({ kind: 'risk.safe' });
  {
    using _crash = arm('notifier.event.planned', () => Promise.reject(new Error('killed')));
    await assert.rejects(module.route(), /killed/);
  }
  await module.route();
  const [event] = (await module.explanation.list(operator, { kind: 'risk.safe' })).items;
  assert.equal((await module.explanation.explain(operator, { id: event?.id })).deliveries.length, 1);
});

test('an event is deleted after 90 days with what became of it, unless a dead letter of it is open', async () => {
  await using sink = await startSink(() => ({ status: 404 }));
  const { channel: gone } = await app.webhook(sink.url);
  const actions = [{ channelId: gone.id, templateKey: 'generic' }];
  await rule('old', { matchers: forRisk('risk.old'), actions });
  const { event, deliveries } = await explained('risk.old');
  const [delivery] = deliveries;
  await app.clock.advance(91 * 24 * HOUR_MS);
  await module.removeOld();
  assert.equal((await module.explanation.get(operator, { id: event.id })).id, event.id, 'it is still to be sent');
  await app.send();
  const [letter] = (await module.deadLetters.list(operator, { channelId: gone.id })).items;
  assert.equal(letter?.deliveryId, delivery?.id);
  await module.removeOld();
  await module.explanation.get(operator, { id: event.id });
  await module.deadLetters.discard(operator, { id: letter?.id, note: 'nobody waits for it' });
  await module.removeOld();
  await assert.rejects(module.explanation.get(operator, { id: event.id }), { code: 'RES_NOT_FOUND' });
  await assert.doesNotReject(explained('risk.old'), 'the rules in force stay');
});
