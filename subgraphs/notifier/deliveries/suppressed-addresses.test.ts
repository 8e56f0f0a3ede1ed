import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '@landfall/kernel/testing/until';
import { startMailServer } from '../testing/mail-server.ts';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { mailPeople } from '../testing/person.ts';
import { startSink } from '../testing/sink.ts';

const refused = new Map<string, number>();
const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const mail = await startMailServer((address) => refused.get(address));
after(() => mail[Symbol.asyncDispose]());
const { module } = app;
const people = await mailPeople(app, mail);

const methodsOf = ({ as }: Awaited<ReturnType<typeof people.add>>) => module.contactMethods.list(as, {});

/** Routes and sends what there is, and what that leads to. */
const settle = async (): Promise<void> => {
  for (const _turn of [1, 2]) {
    while ((await module.followPlatform()) > 0);
    while ((await module.route()) > 0);
    await app.send();
  }
};

test('an address that its server refuses for good is suppressed, its owner is told at the others, and verifying lifts it', async () => {
  const ana = await people.add('ana', { addresses: ['ana@gone.example', 'ana@home.example'] });
  await people.rule('risk.refused', { userIds: [ana.id] });
  refused.set('ana@gone.example', 550);
  await app.accept({ kind: 'risk.refused' });
  await settle();
  const [gone, home] = await methodsOf(ana);
  assert.match(gone?.suppressedReason ?? '', /answered 550.*no such user/);
  assert.equal(home?.suppressedReason, null);
  const told = mail.mails.find(({ subject }) => subject === 'Nothing is sent to ana@gone.example any more');
  assert.equal([told?.to].flat()[0]?.text, 'ana@home.example');
  assert.match(told?.text ?? '', /https:\/\/landfall\.example\/settings\/notifications/);
  const [letter] = (await module.deadLetters.list(operator, {})).items;
  assert.equal(letter?.cause, 'recipient_refused');

  await app.accept({ kind: 'risk.refused' });
  await settle();
  const { items } = await module.deliveries.list(operator, {});
  assert.equal(items.filter(({ address }) => address === 'ana@gone.example').length, 1, 'nothing more is sent there');

  refused.clear();
  await module.contactMethods.resendCode(ana.as, { id: gone?.id });
  assert.equal((await people.confirm(ana.as, gone?.id ?? '')).suppressedReason, null);
});

test('a full mailbox and a refusal by policy suppress nothing', async () => {
  const ben = await people.add('ben');
  await people.rule('risk.policy', { userIds: [ben.id] });
  refused.set('ben@acme.example', 554);
  await app.accept({ kind: 'risk.policy' });
  await settle();
  assert.equal((await methodsOf(ben))[0]?.suppressedReason, null);
});

test('addresses of people that fail open no circuit breaker and disable no channel for the others', async () => {
  let status = 200;
  await using sink = await startSink(() => ({ status }));
  const { channel } = await module.channels.create(admin, {
    name: 'hooks',
    forPeople: true,
    webhook: { config: { url: `${sink.url}/tenant` } },
  });
  const cleo = await people.add('cleo', { addresses: [] });
  const { id } = await module.contactMethods.add(cleo.as, { channelId: channel.id, address: `${sink.url}/cleo` });
  const code = /"code":"(\d{6})"/.exec(sink.received.at(-1)?.body ?? '')?.[1];
  await module.contactMethods.confirm(cleo.as, { id, code });
  await people.rule('risk.hooks', { userIds: [cleo.id] });
  for (status of [500, 410]) {
    for (const _event of [1, 2, 3, 4, 5, 6]) await app.accept({ kind: 'risk.hooks' });
    await settle();
    const { failures, isEnabled, openUntil } = await module.channels.get(operator, { id: channel.id });
    assert.deepEqual([failures, isEnabled, openUntil], [0, true, null], String(status));
  }
  assert.match((await methodsOf(cleo))[0]?.suppressedReason ?? '', /410/);
});

test('a person’s receiver that hangs leaves the others of its channel their places', async () => {
  let hangs = false;
  const released = Promise.withResolvers<void>();
  await using sink = await startSink(async ({ path }) => {
    if (hangs && path === '/dora') await released.promise;
    return {};
  });
  const { channel } = await module.channels.create(admin, {
    name: 'more hooks',
    forPeople: true,
    webhook: { config: { url: `${sink.url}/tenant` } },
  });
  for (const name of ['dora', 'emil']) {
    const { id, as } = await people.add(name, { addresses: [] });
    const method = await module.contactMethods.add(as, { channelId: channel.id, address: `${sink.url}/${name}` });
    const code = /"code":"(\d{6})"/.exec(sink.received.at(-1)?.body ?? '')?.[1];
    await module.contactMethods.confirm(as, { id: method.id, code });
    await people.rule(`risk.${name}`, { userIds: [id] });
  }
  hangs = true;
  for (let events = 0; events < 20; events++) await app.accept({ kind: 'risk.dora' });
  await app.accept({ kind: 'risk.emil' });
  while ((await module.route()) > 0);
  const { signal } = new AbortController();
  const begun: Promise<void>[] = [];
  // Each got its code before.
  const got = (path: string) => sink.received.filter((each) => each.path === path).length - 1;
  await until(async () => {
    begun.push(...(await module.dispatch.begin(signal)));
    return got('/emil') === 1;
  });
  assert.equal(got('/dora'), 2);
  released.resolve();
  await Promise.all(begun);
  await app.send();
  assert.equal(got('/dora'), 20);
});
