import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bytes, instant, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import { startMailServer } from '../testing/mail-server.ts';
import { admin, notifierApp, operator, stranger, viewer } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const mail = await startMailServer();
after(() => mail[Symbol.asyncDispose]());
const { contactMethods, channels, preferences } = app.module;

/** A person of acme with no other scope than the console's readers have. */
const person = (name: string) => caller({ subject: `person-${name}`, scopes: ['orch:read'] });

const mailChannel = (name: string, forPeople = true) =>
  channels.create(admin, {
    name,
    forPeople,
    email: {
      config: {
        host: '127.0.0.1',
        port: mail.port,
        security: 'none',
        from: 'landfall@acme.example',
        to: ['ops@acme.example'],
      },
    },
  });

const { channel } = await mailChannel('mail');
const channelId = channel.id;

const lastCode = (): string => /\b\d{6}\b/.exec(mail.mails.at(-1)?.text ?? '')?.[0] ?? '';
const wrong = (code: string): string => (code === '000000' ? '000001' : '000000');

test('a code is sent to the address by the carrier, and verifies the contact method through the graph', async () => {
  const ana = { as: person('ana') };
  const added = await app.graph(
    'mutation ($input: AddContactMethodInput!) { addContactMethod(input: $input) { id kind verifiedAt } }',
    { input: { channelId, address: 'ana@acme.example' } },
    ana,
  );
  assert.equal(added.errors, undefined);
  const method = Object(added.data).addContactMethod;
  assert.deepEqual([method.kind, method.verifiedAt], ['EMAIL', null]);
  const sent = mail.mails.at(-1);
  assert.deepEqual([sent?.to].flat()[0]?.text, 'ana@acme.example');
  assert.equal(sent?.subject, 'Confirm this address for Landfall');
  assert.doesNotMatch(sent?.text ?? '', /First notification/);

  const confirmed = await app.graph(
    'mutation ($input: ConfirmContactMethodInput!) { confirmContactMethod(input: $input) { verifiedAt codeExpiresAt } }',
    { input: { id: method.id, code: lastCode() } },
    ana,
  );
  assert.ok(Object(confirmed.data).confirmContactMethod.verifiedAt, JSON.stringify(confirmed.errors));
  const again = { id: method.id, code: lastCode() };
  await assert.rejects(contactMethods.confirm(ana.as, again), { code: 'RES_CONFLICT' });
  await assert.rejects(contactMethods.resendCode(ana.as, { id: method.id }), /verified already/);
});

test('the fifth wrong attempt ends a code, and a new one begins anew', async () => {
  const ben = person('ben');
  const { id } = await contactMethods.add(ben, { channelId, address: 'ben@acme.example' });
  const code = lastCode();
  for (const left of [4, 3, 2, 1, 0])
    await assert.rejects(contactMethods.confirm(ben, { id, code: wrong(code) }), new RegExp(`${left} more attempt`));
  await assert.rejects(contactMethods.confirm(ben, { id, code }), { code: 'RES_CONFLICT' });
  await contactMethods.resendCode(ben, { id });
  const { verifiedAt } = await contactMethods.confirm(ben, { id, code: lastCode() });
  assert.ok(verifiedAt);
});

test('a code ends after 15 minutes', async () => {
  const cleo = person('cleo');
  const { id } = await contactMethods.add(cleo, { channelId, address: 'cleo@acme.example' });
  await app.clock.advance(15 * 60_000);
  await assert.rejects(contactMethods.confirm(cleo, { id, code: lastCode() }), { code: 'RES_CONFLICT' });
});

test('five codes an hour are sent for a person, whatever is removed in between', async () => {
  const dan = person('dan');
  for (const at of [1, 2, 3, 4, 5]) {
    const { id } = await contactMethods.add(dan, { channelId, address: `dan${at}@acme.example` });
    await contactMethods.remove(dan, { id });
  }
  const before = mail.mails.length;
  const another = { channelId, address: 'dan@acme.example' };
  await assert.rejects(contactMethods.add(dan, another), /5 codes were sent within an hour/);
  assert.equal(mail.mails.length, before);
  await app.clock.advance(3_600_000);
  await contactMethods.add(dan, another);
});

test('a contact method is its owner’s alone: another person of the tenant finds nothing', async () => {
  const eve = person('eve');
  const { id } = await contactMethods.add(person('finn'), { channelId, address: 'finn@acme.example' });
  const code = lastCode();
  for (const attempt of [
    () => contactMethods.confirm(eve, { id, code }),
    () => contactMethods.resendCode(eve, { id }),
    () => contactMethods.remove(eve, { id }),
    () => preferences.set(eve, { timeZone: 'UTC', defaultMethods: [id] }),
    () => contactMethods.add(stranger, { channelId, address: 'eve@globex.example' }),
  ])
    await assert.rejects(attempt(), { code: 'RES_NOT_FOUND' });
  assert.deepEqual(await contactMethods.list(eve, {}), []);
  await assert.rejects(contactMethods.list(caller({ subject: 'robot', scopes: ['orch:read'], kind: 'client' }), {}), {
    code: 'PERM_DENIED',
  });
});

test('a code is stored as a keyed hash, and stands in no event', async () => {
  const { id } = await contactMethods.add(person('gus'), { channelId, address: 'gus@acme.example' });
  const code = lastCode();
  const stored = table('stored', { codeHash: bytes, codeExpiresAt: instant });
  const [row] = await app.rows(
    stored,
    sql`/* test */ select code_hash, code_expires_at from notify.contact_methods where id = ${id}`,
  );
  assert.equal(row?.codeHash.length, 32);
  const events = await app.rows(
    table('events', { data: text }),
    sql`/* test */ select data::text as data from kernel.events where entity_id = ${id}`,
  );
  assert.equal(events.length, 1);
  assert.ok(!JSON.stringify(events).includes(code));
});

test('an address that the carrier refuses adds nothing, and says so', async () => {
  await using refusing = await startMailServer(550);
  const { channel: refused } = await channels.create(admin, {
    name: 'refusing',
    forPeople: true,
    email: { config: { ...Object(channel.config), port: refusing.port } },
  });
  const hal = person('hal');
  await assert.rejects(contactMethods.add(hal, { channelId: refused.id, address: 'hal@acme.example' }), {
    code: 'VAL_INVALID_VALUE',
    message: /did not take the code.*550/,
  });
  assert.deepEqual(await contactMethods.list(hal, {}), []);
});

test('only a channel that an administrator marked carries messages to people', async () => {
  const { channel: unmarked } = await mailChannel('unmarked', false);
  const ida = { channelId: unmarked.id, address: 'ida@acme.example' };
  await assert.rejects(contactMethods.add(viewer, ida), /not for people/);
  await channels.update(admin, { id: unmarked.id, forPeople: true });
  await contactMethods.add(viewer, ida);
  assert.ok((await contactMethods.listChannels(viewer, {})).some(({ id }) => id === unmarked.id));
  const pager = { name: 'pager', forPeople: true, pagerduty: { credential: { routingKey: 'R' } } };
  await assert.rejects(channels.create(admin, pager), { code: 'VAL_INVALID_VALUE' });
  const hook = {
    name: 'hook',
    forPeople: true,
    slack: { credential: { webhookUrl: 'https://hooks.slack.example/1' } },
  };
  await assert.rejects(channels.create(admin, hook), { code: 'VAL_INVALID_VALUE' });
});

test('Slack sends a code as the bot to the person, and a webhook to the person’s address', async () => {
  await using sink = await startSink(() => ({ body: '{"ok": true, "ts": "1.1"}' }));
  const { channel: slack } = await channels.create(admin, {
    name: 'slack',
    forPeople: true,
    slack: { config: { channel: 'C1', apiUrl: sink.url }, credential: { botToken: 'xoxb-1' } },
  });
  await contactMethods.add(operator, { channelId: slack.id, address: 'U0ANA' });
  assert.equal(JSON.parse(sink.received.at(-1)?.body ?? '{}').channel, 'U0ANA');
  const hook = await channels.create(admin, {
    name: 'own hooks',
    forPeople: true,
    webhook: { config: { url: `${sink.url}/tenant` } },
  });
  await contactMethods.add(operator, { channelId: hook.channel.id, address: `${sink.url}/person` });
  assert.equal(sink.received.at(-1)?.path, '/person');
  await assert.rejects(contactMethods.add(operator, { channelId: slack.id, address: 'ana@acme.example' }), {
    code: 'VAL_INVALID_FORMAT',
  });
});

test('preferences are replaced as a whole, and their times are those of the person', async () => {
  const jo = person('jo');
  assert.deepEqual((await preferences.get(jo, {})).quietHours, null);
  const quietHours = { from: '22:00', to: '07:00', weekdays: ['monday'] };
  await preferences.set(jo, { timeZone: 'Asia/Tokyo', locale: 'de', quietHours });
  const { timeZone, locale, quietHours: hours } = await preferences.get(jo, {});
  assert.deepEqual([timeZone, locale, hours], ['Asia/Tokyo', 'de', quietHours]);
  await contactMethods.add(jo, { channelId, address: 'jo@acme.example' });
  assert.match(mail.mails.at(-1)?.text ?? '', /Der Code ist \d{6}/);
  await preferences.set(jo, { timeZone: 'UTC' });
  assert.deepEqual((await preferences.get(jo, {})).quietHours, null);
  const odd = { timeZone: 'Mars/Olympus', locale: 'xx-XX', quietHours: { from: '08:00', to: '08:00' } };
  await assert.rejects(preferences.set(jo, odd), (fault) => {
    assert.deepEqual(
      Object(fault).fields.map(({ field }: { field: string }) => field),
      ['timeZone', 'locale', 'quietHours.to'],
    );
    return true;
  });
});
