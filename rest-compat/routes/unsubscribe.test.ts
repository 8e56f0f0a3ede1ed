import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { createNotifier } from '@landfall/notifier';
import { createDirectories } from '@landfall/notifier/testing/directories';
import { startMailServer } from '@landfall/notifier/testing/mail-server';
import { operator } from '@landfall/notifier/testing/notifier-app';
import { mailPeople } from '@landfall/notifier/testing/person';
import { unsubscribeRoutes } from './unsubscribe.ts';

const directory = createDirectories();
const app = await testApp({
  createModule: (deps) => createNotifier(deps, { ...directory, baseUrl: 'https://landfall.example' }),
  routes: unsubscribeRoutes,
});
after(() => app[Symbol.asyncDispose]());
const mail = await startMailServer();
after(() => mail[Symbol.asyncDispose]());
const { module, deps } = app;
const people = await mailPeople({ module, directory }, mail);

let serial = 0;

/** Sends an event, and returns the headers of the mails about it. */
const fire = async (kind: string, severity = 'info') => {
  serial += 1;
  const before = mail.mails.length;
  const ts = deps.clock.now().toISOString();
  const event = { producer: 'risk', eventId: `e${serial}`, tenant: 'acme', ts, payload: {} };
  await module.ingest(operator, { ...event, kind, attributes: { severity } });
  while ((await module.route()) > 0);
  await Promise.all(await module.dispatch.begin(new AbortController().signal));
  return mail.mails.slice(before);
};

type Mail = Awaited<ReturnType<typeof fire>>[number];

const headerOf = (sent: Mail | undefined, name: string): string | undefined => {
  const line = sent?.headerLines.find(({ key }) => key === name)?.line.replaceAll(/\r?\n\s+/g, ' ');
  return line?.slice(line.indexOf(':') + 1).trim();
};

const linkOf = (sent: Mail | undefined): string => {
  const [, url = ''] = /^<https:\/\/landfall\.example(\S+)>$/.exec(headerOf(sent, 'list-unsubscribe') ?? '') ?? [];
  return `${app.origin}${url}`;
};

test('one click ends mails of the kind at that address, reading the page ends nothing, and critical mails still come', async () => {
  const ana = await people.add('ana', { addresses: ['ana@acme.example', 'ana@home.example'] });
  await people.rule('risk.news', { userIds: [ana.id] });
  await people.rule('risk.other', { userIds: [ana.id] });
  const [sent] = await fire('risk.news');
  assert.equal(headerOf(sent, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  assert.equal(headerOf(sent, 'auto-submitted'), 'auto-generated');
  assert.ok(sent?.date);
  const address = [sent?.to].flat()[0]?.text;
  const url = linkOf(sent);

  const page = await fetch(url);
  assert.equal(page.status, 200);
  const html = await page.text();
  assert.match(html, /<form method="post"><button>Unsubscribe<\/button><\/form>/);
  assert.ok(html.includes(address ?? '?') && html.includes('risk.news'));
  assert.equal((await fire('risk.news')).length, 2, 'reading the page ends nothing');

  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  for (const _time of [1, 2]) assert.equal((await fetch(url, { method: 'POST', body })).status, 200);
  const rest = await fire('risk.news');
  assert.deepEqual(
    rest.map(({ to }) => [to].flat()[0]?.text),
    ['ana@acme.example', 'ana@home.example'].filter((each) => each !== address),
  );
  assert.equal((await fire('risk.other')).length, 2, 'another kind is not ended');
  const critical = await fire('risk.news', 'critical');
  assert.equal(critical.length, 2);
  assert.deepEqual(
    critical.map((each) => headerOf(each, 'list-unsubscribe')),
    [undefined, undefined],
  );
  assert.doesNotMatch(await (await fetch(url)).text(), /<form/);

  const muted = (await module.contactMethods.list(ana.as, {})).find(({ mutedKinds }) => mutedKinds.length > 0);
  assert.deepEqual([muted?.address, muted?.mutedKinds], [address, ['risk.news']]);
  await module.contactMethods.setMutedKinds(ana.as, { id: muted?.id, mutedKinds: [] });
  assert.equal((await fire('risk.news')).length, 2);
});

test('a form of the other type ends them too, in the language of the person', async () => {
  const ben = await people.add('ben');
  await module.preferences.set(ben.as, { timeZone: 'UTC', locale: 'de' });
  await people.rule('risk.sprache', { userIds: [ben.id] });
  const [sent] = await fire('risk.sprache');
  const body = new FormData();
  body.set('List-Unsubscribe', 'One-Click');
  const answer = await fetch(linkOf(sent), { method: 'POST', body });
  const html = await answer.text();
  assert.match(html, /Benachrichtigungen der Art risk\.sprache werden nicht mehr an ben@acme\.example gesendet/);
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal((await fire('risk.sprache')).length, 0);
});

test('a link that was altered, cut or made up ends nothing', async () => {
  const cleo = await people.add('cleo');
  await people.rule('risk.links', { userIds: [cleo.id] });
  const [sent] = await fire('risk.links');
  const url = linkOf(sent);
  const [payload = '', signature = ''] = (new URL(url).searchParams.get('token') ?? '').split('.');
  const other = Buffer.from(JSON.stringify(['acme', cleo.methods[0], 'risk.secret'])).toString('base64url');
  for (const token of [
    `${other}.${signature}`,
    payload,
    `${payload}.`,
    `.${signature}`,
    `${payload}.${signature}x`,
    'x'.repeat(2_000),
  ])
    for (const method of ['GET', 'POST'])
      assert.equal(
        (await fetch(`${app.origin}/api/v1/notify/unsubscribe?token=${token}`, { method })).status,
        404,
        token,
      );
  await module.contactMethods.remove(cleo.as, { id: cleo.methods[0] });
  assert.equal((await fetch(url, { method: 'POST' })).status, 404);
});
