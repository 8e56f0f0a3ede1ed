import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { type AuthorityApp, authorityApp, basic, PASSWORD } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
  // Both may request device codes: the console's client for every tenant, the tenant's own for its people.
  for (const [tenant, { id }] of [
    ['landfall', app.clients.console],
    ['acme', app.clients.acmeApp],
  ] as const)
    await app.deps.database.write(toTenantId(tenant), (tx) =>
      tx.run(sql`update authority.clients set grants = grants || '{device_code}' where id = ${id}`),
    );
});
after(() => app[Symbol.asyncDispose]());
beforeEach(() => app.clock.advance(3_700_000));

type Client = { readonly id: string; readonly secret: string };
type Jar = ReturnType<typeof cookieJar>;

const begin = async (as: Client = app.clients.console, scope = 'openid orch:read orch:approve') => {
  const { body } = await app.post('/device_authorization', { scope }, { authorization: basic(as) });
  return { userCode: String(body.user_code), deviceCode: String(body.device_code) };
};

const poll = async (deviceCode: string, as: Client = app.clients.console) => {
  await app.clock.advance(6_000);
  return app.post(
    '/token',
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode },
    { authorization: basic(as) },
  );
};

const locationOf = (response: Response): string => response.headers.get('location') ?? 'missing:';
const errorIn = (page: string): string | undefined => /role="alert">([^<]*)</.exec(page)?.[1];

/** Person who is signed in and has typed the code. */
const typed = async (username: string, userCode: string, jar: Jar = cookieJar()) => {
  await app.signIn(username, { jar });
  const form = await (await app.get('/device', jar)).text();
  const sent = await app.submit(form, jar, { user_code: userCode });
  const page = await app.get(locationOf(sent), jar);
  return { jar, shown: page, page: await page.text() };
};

const answer = (page: string, jar: Jar, decision: string) =>
  app.submit(page, jar, { user_code: hidden(page, 'user_code'), shown: hidden(page, 'shown'), decision });

test('a person types the code, signs in, sees who asks for what from where, approves, and the device goes on', async () => {
  const { userCode, deviceCode } = await begin();
  const jar = cookieJar();
  const form = await (await app.get('/device', jar)).text();
  const sent = await app.submit(form, jar, { user_code: userCode.toLowerCase().replace('-', ' ') });
  assert.equal(locationOf(sent), `/device?user_code=${userCode}`);
  const toSignIn = await app.get(locationOf(sent), jar);
  assert.match(locationOf(toSignIn), /^\/sign-in\?to=device&user_code=/);
  const signIn = await (await app.get(locationOf(toSignIn), jar)).text();
  const signedIn = await app.submit(signIn, jar, { username: 'vic', password: PASSWORD });
  assert.equal(locationOf(signedIn), `/device?user_code=${userCode}`);
  const page = await (await app.get(locationOf(signedIn), jar)).text();
  assert.ok(page.includes('Connect console?') && page.includes(userCode) && page.includes('127.0.0.1'));
  assert.ok(page.includes('Only approve what you started yourself.'));
  assert.equal(page.includes('orch:approve'), false, 'a viewer does not hold it');
  const finished = await answer(page, jar, 'approve');
  assert.match(await finished.text(), /The device is connected/);
  const { status, body } = await poll(deviceCode);
  assert.deepEqual([status, body.scope], [200, 'openid orch:read']);
  assert.equal((await app.events()).includes('device.approve'), true);
});

test('the complete address leads to the question, never to an approval', async () => {
  const { userCode, deviceCode } = await begin();
  const { jar } = await app.signIn('ada');
  const page = await (await app.get(`/device?user_code=${userCode}&decision=approve`, jar)).text();
  assert.ok(page.includes('Connect console?'));
  assert.equal((await poll(deviceCode)).body.error, 'authorization_pending');
});

test('a refusal is told to the device', async () => {
  const { userCode, deviceCode } = await begin();
  const { jar, page } = await typed('ada', userCode);
  assert.match(await (await answer(page, jar, 'deny')).text(), /The device is not connected/);
  assert.equal((await poll(deviceCode)).body.error, 'access_denied');
  assert.equal((await app.events()).at(-1), 'device.deny');
});

test('of eight answers at once one counts, and the others find no device', async () => {
  const { userCode } = await begin();
  const { jar, page } = await typed('ada', userCode);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => answer(page, jar, index % 2 ? 'deny' : 'approve')),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('a device gets no scope that its person was not shown', async () => {
  const { userCode, deviceCode } = await begin();
  const { page, jar } = await typed('ada', userCode);
  assert.deepEqual(hidden(page, 'shown').split(' '), ['openid', 'orch:read', 'orch:approve']);
  await app.submit(page, jar, { user_code: userCode, shown: 'openid orch:read', decision: 'approve' });
  assert.equal((await poll(deviceCode)).body.scope, 'openid orch:read');
});

test('unknown, expired, answered and another tenant’s codes get the same words', async () => {
  const expired = await begin();
  await app.clock.advance(601_000);
  const answered = await begin();
  const own = await typed('ada', answered.userCode);
  await answer(own.page, own.jar, 'deny');
  const other = await begin(app.clients.acmeApp);
  const words = new Set<string | undefined>();
  for (const [username, userCode] of [
    ['ada', 'BCDF-GHJK'],
    ['ada', 'not a code'],
    ['ada', expired.userCode],
    ['ada', answered.userCode],
    ['gil', other.userCode],
  ] as const) {
    const { shown: visible, page } = await typed(username, userCode);
    assert.equal(visible.status, 400, userCode);
    words.add(errorIn(page));
  }
  assert.equal(words.size, 1);
});

test('guesses must wait, for whoever guesses and nobody else', async () => {
  const { jar } = await app.signIn('vic');
  for (let index = 0; index < 10; index++)
    assert.equal((await app.get(`/device?user_code=BCDF-GHJ${'BCDFGHJKLM'[index]}`, jar)).status, 400);
  const { userCode } = await begin();
  const refused = await app.get(`/device?user_code=${userCode}`, jar);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  assert.equal((await typed('ada', userCode)).shown.status, 200);
});

test('nobody who is not signed in learns whether a code is known', async () => {
  const { userCode } = await begin();
  for (const code of [userCode, 'BCDF-GHJK'])
    assert.match(locationOf(await app.get(`/device?user_code=${code}`)), /^\/sign-in\?to=device&user_code=/);
});

test('an answer counts only from this browser’s own page', async () => {
  const { userCode, deviceCode } = await begin();
  const { jar, page } = await typed('ada', userCode);
  const forged = await app.submit(page, jar, { user_code: userCode, decision: 'approve', csrf: 'guess' });
  assert.equal(forged.status, 403);
  assert.equal((await poll(deviceCode)).body.error, 'authorization_pending');
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
