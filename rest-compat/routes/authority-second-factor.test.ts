import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { decodeJwt } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { type AuthorityApp, authorityApp, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

const STEP_MS = 30_000;
const secret = new Secret({ size: 20 });

let app: AuthorityApp;
/** Turned on as the account page does it: what the person's app shows is all that a test needs of it. */
const turnOn = (userId: string) =>
  app.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`insert into authority.totp_secrets (tenant, user_id, sealed, confirmed_at)
      values ('acme', ${userId}, ${app.deps.secrets.seal('acme', `totp/${userId}`, new Uint8Array(secret.buffer))}, kernel.now())`),
  );

before(async () => {
  app = await authorityApp();
  await turnOn(app.people.ada);
});
after(() => app[Symbol.asyncDispose]());
beforeEach(() => app.clock.advance(3_700_000));

type Jar = ReturnType<typeof cookieJar>;

const { verifier, challenge } = pkce();
const show = (later = 0): string => TOTP.generate({ secret, timestamp: app.clock.now().getTime() + later * STEP_MS });
const wrong = (): string => String((Number(show()) + 500_000) % 1_000_000).padStart(6, '0');
const locationOf = (response: Response): string => response.headers.get('location') ?? 'missing:';
const errorIn = (page: string): string | undefined => /role="alert">([^<]*)</.exec(page)?.[1];

/** After the password: the page that asks for a code. */
const arrive = async (parameters: Readonly<Record<string, string>> = {}, jar: Jar = cookieJar()) => {
  const page = await (await app.get(app.authorizeUrl({ code_challenge: challenge, ...parameters }), jar)).text();
  const answered = await app.submit(page, jar, { username: 'ada', password: PASSWORD });
  assert.match(locationOf(answered), /^\/sign-in\/second-factor\?/);
  const at = locationOf(answered);
  return { jar, at, page: await (await app.get(at, jar)).text() };
};

test('the password alone opens no session; the code of the app does, and the token says so', async () => {
  const { jar, page } = await arrive();
  assert.equal(jar.kept.has('landfall-authority'), false);
  assert.match(page, /autocomplete="one-time-code"/);
  const answered = await app.submit(page, jar, { code: show() });
  const code = new URL(locationOf(answered)).searchParams.get('code') ?? '';
  const { body } = await app.exchange({ code, verifier });
  assert.deepEqual(decodeJwt(String(body.id_token)).amr, ['pwd', 'otp', 'mfa']);
  assert.ok(jar.kept.has('landfall-authority'));
});

test('a wrong code says what to do and keeps the place; after too many the person waits', async () => {
  const { jar, page } = await arrive();
  const refused = await app.submit(page, jar, { code: wrong() });
  assert.equal(refused.status, 400);
  assert.match(errorIn(await refused.text()) ?? '', /Wait until your app shows a new code/);
  const statuses: number[] = [];
  for (let index = 0; index < 8; index++) statuses.push((await app.submit(page, jar, { code: wrong() })).status);
  assert.ok(statuses.includes(429));
  const blocked = await app.submit(page, jar, { code: show() });
  assert.equal(blocked.status, 429);
  assert.ok(Number(blocked.headers.get('retry-after')) >= 1);
  assert.match(errorIn(await blocked.text()) ?? '', /Too many wrong codes\. Wait/);
});

test('a code works once: of four posts of it at once exactly one goes on', async () => {
  const { jar, page } = await arrive();
  const code = show();
  const answers = await Promise.all(Array.from({ length: 4 }, () => app.submit(page, jar, { code })));
  assert.equal(answers.filter(({ status }) => status === 303).length, 1);
});

test('the place between the factors is this browser’s, this request’s and five minutes long', async () => {
  const own = await arrive();
  const unrelated = cookieJar();
  assert.match(locationOf(await app.get(own.at, unrelated)), /^\/authorize\?/);
  unrelated.kept.set('landfall-authority-pending', own.jar.kept.get('landfall-authority-pending') ?? '');
  await app.get(app.authorizeUrl({ code_challenge: challenge }), unrelated);
  assert.match(locationOf(await app.get(own.at, unrelated)), /^\/authorize\?/);
  const other = own.at.replace('state=st', 'state=another');
  assert.notEqual(other, own.at);
  assert.match(locationOf(await app.get(other, own.jar)), /^\/authorize\?/);
  await app.clock.advance(300_001);
  assert.match(locationOf(await app.submit(own.page, own.jar, { code: show() })), /^\/authorize\?/);
});

test('what the browser keeps in between says nothing and cannot be altered', async () => {
  const { jar, at } = await arrive();
  const sealed = jar.kept.get('landfall-authority-pending') ?? '';
  assert.equal(Buffer.from(sealed, 'base64url').toString('latin1').includes(app.people.ada), false);
  assert.equal(at.includes(sealed), false);
  const bytes = Buffer.from(sealed, 'base64url');
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  jar.kept.set('landfall-authority-pending', bytes.toString('base64url'));
  assert.match(locationOf(await app.get(at, jar)), /^\/authorize\?/);
});

test('a request of any length finds its way through', async () => {
  const { jar, page } = await arrive({ state: 's'.repeat(2_000), nonce: 'n'.repeat(200) });
  assert.ok((jar.kept.get('landfall-authority-pending') ?? '').length < 1_000);
  assert.equal((await app.submit(page, jar, { code: show() })).status, 303);
});

test('a code counts only from this browser’s own page', async () => {
  const { jar, page } = await arrive();
  const answered = await app.submit(page, jar, { code: show(), csrf: hidden(page, 'csrf').toUpperCase() });
  assert.equal(answered.status, 403);
});

test('who is deactivated between the factors does not come in', async () => {
  const { jar, page } = await arrive();
  const set = (active: boolean) =>
    app.deps.database.write(toTenantId('acme'), (tx) =>
      tx.run(sql`update authority.users set active = ${active} where id = ${app.people.ada}`),
    );
  await set(false);
  const answered = await app.submit(page, jar, { code: show() });
  assert.notEqual(answered.status, 303);
  assert.equal(jar.kept.has('landfall-authority'), false);
  await set(true);
});

test('a page of our own is reached by both factors, too', async () => {
  const jar = cookieJar();
  const page = await (await app.get('/sign-in?to=device&user_code=WDJB-MJHT', jar)).text();
  const answered = await app.submit(page, jar, { username: 'ada', password: PASSWORD });
  const factor = await (await app.get(locationOf(answered), jar)).text();
  assert.equal(locationOf(await app.submit(factor, jar, { code: show() })), '/device?user_code=WDJB-MJHT');
});

test('a page of our own is named, never given as an address', async () => {
  for (const query of [
    'to=https://evil.example',
    'to=//evil.example',
    'to=account&page=//evil.example',
    'to=account&page=../x',
  ]) {
    const jar = cookieJar();
    const pageText = await app.get(`/sign-in?${query}`, jar);
    if (pageText.status === 400) continue;
    const page = await pageText.text();
    const answered = await app.submit(page, jar, { username: 'vic', password: PASSWORD });
    assert.equal(locationOf(answered), '/account', query);
  }
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
