import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { decodeJwt } from 'jose';
import { type AuthorityApp, authorityApp, CALLBACK, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

let app: AuthorityApp;
let asking: { id: string; secret: string };
before(async () => {
  app = await authorityApp();
  const secret = 'a secret that is long enough for a client';
  const id = await app.authority.bootstrap.ensureClient({
    tenant: 'acme',
    name: 'Dashboards <of acme>',
    secret,
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'profile', 'offline_access', 'orch:read', 'orch:approve'],
    redirectUris: [CALLBACK],
  });
  await app.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update authority.clients set requires_consent = true,
      resources = ${['https://api.example/one', 'https://api.example/two']} where id = ${id}`),
  );
  asking = { id, secret };
});
after(() => app[Symbol.asyncDispose]());
beforeEach(() => app.clock.advance(3_700_000));

const { verifier, challenge } = pkce();

type Jar = ReturnType<typeof cookieJar>;

const back = (response: Response): Record<string, string> => {
  const location = new URL(response.headers.get('location') ?? 'missing:');
  return { ...Object.fromEntries(location.searchParams), to: `${location.origin}${location.pathname}` };
};

const locationOf = (response: Response): string => response.headers.get('location') ?? 'missing:';

const ask = (jar: Jar, parameters: Readonly<Record<string, string | undefined>> = {}) =>
  app.get(
    app.authorizeUrl({ code_challenge: challenge, client_id: asking.id, scope: 'openid orch:read', ...parameters }),
    jar,
  );

/** Goes from the sign-in page to the page that follows the password. */
const arrive = async (username: string, parameters: Readonly<Record<string, string>> = {}) => {
  const jar = cookieJar();
  const page = await (await ask(jar, parameters)).text();
  const answered = await app.submit(page, jar, { username, password: PASSWORD });
  return { jar, answered };
};

/** The page's answer, with what it has shown. */
const answer = (page: string, jar: Jar, decision: string) =>
  app.submit(page, jar, { decision, shown: hidden(page, 'shown') });

const consentPage = async (username: string, parameters: Readonly<Record<string, string>> = {}) => {
  const { jar, answered } = await arrive(username, parameters);
  assert.match(locationOf(answered), /^\/consent\?/);
  const page = await app.get(locationOf(answered), jar);
  assert.equal(page.status, 200);
  return { jar, page: await page.text(), shown: page };
};

test('a client that must ask shows its name, who is asked and what each scope means, as text', async () => {
  const { page, shown: visible } = await consentPage('vic');
  assert.ok(page.includes('Allow Dashboards &lt;of acme&gt;?'));
  assert.ok(page.includes('Signed in as vic of acme (vic).'));
  assert.ok(page.includes('Know who you are <code>openid</code>'));
  assert.ok(page.includes('See releases, environments and deployments <code>orch:read</code>'));
  assert.match(visible.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.example;/);
  assert.equal(/<script|\sstyle=/.test(page), false);
});

test('a person is asked for no more than they hold, and the tokens say no more than they allowed', async () => {
  const { jar, page } = await consentPage('vic', { scope: 'openid orch:read orch:approve' });
  assert.equal(page.includes('orch:approve'), false);
  const { code = '' } = back(await answer(page, jar, 'allow'));
  const { body } = await app.exchange({ code, verifier }, asking);
  assert.equal(body.scope, 'openid orch:read');
});

test('what is allowed is remembered for the same or fewer scopes, and asked again for more or on demand', async () => {
  const { jar, page } = await consentPage('ada');
  assert.ok('code' in back(await answer(page, jar, 'allow')));
  assert.ok('code' in back(await ask(jar)));
  assert.ok('code' in back(await ask(jar, { scope: 'openid' })));
  assert.match(locationOf(await ask(jar, { scope: 'openid orch:read profile' })), /^\/consent\?/);
  assert.match(locationOf(await ask(jar, { prompt: 'consent' })), /^\/consent\?/);
  assert.deepEqual((await app.events()).filter((type) => type.startsWith('consent.')).slice(-1), ['consent.grant']);
});

test('a request for a new sign-in is not let through by the consent page', async () => {
  const jar = cookieJar();
  await app.submit(await (await ask(jar)).text(), jar, { username: 'ada', password: PASSWORD });
  const consentFor = (overrides: Readonly<Record<string, string | undefined>>) => {
    const url = new URL(
      app.authorizeUrl({ code_challenge: challenge, client_id: asking.id, scope: 'openid orch:read', ...overrides }),
      app.origin,
    );
    return app.get(`/consent${url.search}`, jar);
  };
  for (const more of [{ prompt: 'login' }, { prompt: 'none' }, { prompt: 'login consent' }])
    assert.match(locationOf(await consentFor(more)), /^\/authorize\?/, more.prompt);
  await app.clock.advance(2_000);
  assert.match(locationOf(await consentFor({ max_age: '1', prompt: 'consent' })), /^\/authorize\?/);
  // A client that requires no consent shows no question.
  assert.match(locationOf(await consentFor({ client_id: app.clients.console.id })), /^\/authorize\?/);
});

test('who signed in anew for a request may think over what it asks for', async () => {
  const { jar, page } = await consentPage('vic', { prompt: 'login consent', max_age: '0' });
  await app.clock.advance(60_000);
  assert.ok('code' in back(await answer(page, jar, 'allow')));
});

test('nothing is allowed by an answer that the page did not show', async () => {
  const { jar, page } = await consentPage('vic', { scope: 'openid orch:read profile', prompt: 'consent' });
  const { code = '' } = back(await app.submit(page, jar, { decision: 'allow', shown: 'openid orch:approve' }));
  const { body } = await app.exchange({ code, verifier }, asking);
  assert.equal(body.scope, 'openid');
});

test('a refusal goes back as access_denied, is remembered nowhere and written down', async () => {
  const { jar, page } = await consentPage('vic', { scope: 'openid profile' });
  const { error_description: label, ...events } = back(await answer(page, jar, 'deny'));
  assert.deepEqual(events, {
    error: 'access_denied',
    kept: '1',
    state: 'st',
    iss: app.origin,
    to: 'https://app.example/callback',
  });
  assert.ok(label);
  assert.equal((await app.events()).at(-1), 'consent.deny');
  assert.match(locationOf(await ask(jar, { scope: 'openid profile' })), /^\/consent\?/);
});

test('an answer counts only from this browser’s own page', async () => {
  const { jar, page } = await consentPage('vic', { scope: 'openid profile' });
  const other = await consentPage('ada', { scope: 'openid profile' });
  for (const csrf of ['', 'guess', hidden(other.page, 'csrf')]) {
    const answered = await app.submit(page, jar, { decision: 'allow', csrf });
    assert.deepEqual([answered.status, answered.headers.get('location')], [200, null]);
  }
  const unrelated = await app.submit(page, cookieJar(), { decision: 'allow' });
  assert.match(locationOf(unrelated), /^\/authorize\?/);
});

test('prompt=none never shows a page: login_required, then consent_required', async () => {
  assert.equal(back(await ask(cookieJar(), { prompt: 'none' })).error, 'login_required');
  const { jar } = await arrive('vic');
  assert.equal(back(await ask(jar, { prompt: 'none', scope: 'openid offline_access' })).error, 'consent_required');
});

test('prompt=login and max_age=0 reach the consent page after the new sign-in, and no code before it', async () => {
  for (const parameters of [{ prompt: 'login consent' }, { max_age: '0', prompt: 'consent' }]) {
    const { jar, page } = await consentPage('vic', parameters);
    await app.clock.advance(60_000);
    assert.ok('code' in back(await answer(page, jar, 'allow')));
    await app.clock.advance(300_000);
    assert.equal((await ask(jar, parameters)).status, 200);
    const delayed = await answer(page, jar, 'allow');
    assert.match(locationOf(delayed), /^\/authorize\?/);
  }
});

test('select_account offers who is signed in, or somebody else', async () => {
  const { jar } = await app.signIn('ada');
  const query = { prompt: 'select_account', client_id: app.clients.console.id };
  const pageText = await ask(jar, query);
  const page = await pageText.text();
  assert.equal(pageText.status, 200);
  assert.ok(page.includes('Continue as ada of acme (ada)'));
  assert.ok('code' in back(await app.submit(page, jar, { via: 'session' })));
  assert.ok('code' in back(await app.submit(page, jar, { username: 'gil', password: PASSWORD })));
  assert.ok((await (await ask(jar, query)).text()).includes('Continue as gil of globex (gil)'));
});

test('a session cannot be taken where a new sign-in is asked for', async () => {
  const { jar } = await app.signIn('ada');
  const page = await (await ask(jar, { prompt: 'login', client_id: app.clients.console.id })).text();
  assert.equal(page.includes('Continue as'), false);
  const answered = await app.submit(page, jar, { via: 'session' });
  assert.deepEqual([answered.status, answered.headers.get('location')], [200, null]);
});

test('login_hint fills in the name, as text', async () => {
  const page = await (await ask(cookieJar(), { login_hint: 'ada"><b>' })).text();
  assert.ok(page.includes('value="ada&quot;&gt;&lt;b&gt;"'));
});

test('prompts and targets that are not offered go back by name', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ prompt: 'create' }, 'invalid_request'],
    [{ resource: 'https://api.example/three' }, 'invalid_target'],
    [{ resource: 'https://api.example/one#part' }, 'invalid_target'],
    [{ resource: 'relative' }, 'invalid_target'],
    [{ dpop_jkt: 'short' }, 'invalid_request'],
    [{ login_hint: 'x'.repeat(201) }, 'invalid_request'],
    [{ response_type: 'id_token token' }, 'unsupported_response_type'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
  ];
  for (const [parameters, error] of cases)
    assert.equal(back(await ask(cookieJar(), parameters)).error, error, JSON.stringify(parameters));
});

test('several resources travel with the request and become the audience of the token', async () => {
  const jar = cookieJar();
  const url = `${app.authorizeUrl({ code_challenge: challenge, client_id: asking.id, scope: 'openid' })}&resource=${encodeURIComponent('https://api.example/one')}&resource=${encodeURIComponent('https://api.example/two')}`;
  const page = await (await app.get(url, jar)).text();
  const answered = await app.submit(page, jar, { username: 'ada', password: PASSWORD });
  const toAllow = locationOf(answered).startsWith('/consent?')
    ? await answer(await (await app.get(locationOf(answered), jar)).text(), jar, 'allow')
    : answered;
  const { body } = await app.exchange({ code: back(toAllow).code ?? '', verifier }, asking);
  assert.deepEqual(decodeJwt(String(body.access_token)).aud, ['https://api.example/one', 'https://api.example/two']);
});

test('a stopped tenant’s people are not signed in, and its clients send nobody anywhere', async () => {
  const { jar } = await app.signIn('gil');
  const client = await app.authority.bootstrap.ensureClient({
    tenant: 'globex',
    name: 'app',
    secret: 'a secret that is long enough for a client',
    grants: ['authorization_code'],
    scopes: ['openid', 'profile', 'offline_access', 'orch:read', 'orch:approve'],
    redirectUris: [CALLBACK],
  });
  const stop = (active: boolean) =>
    app.deps.database.system.write((tx) =>
      tx.run(sql`update authority.tenants set active = ${active} where tenant = 'globex'`),
    );
  await stop(false);
  const query = { client_id: app.clients.console.id };
  const page = await ask(jar, query);
  assert.equal(page.status, 200);
  const refused = await app.submit(await page.text(), jar, { username: 'gil', password: PASSWORD });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /User name or password is wrong\./);
  const other = () => app.get(app.authorizeUrl({ code_challenge: challenge, client_id: client }));
  assert.deepEqual([(await other()).status, (await other()).headers.get('location')], [400, null]);
  await stop(true);
  assert.equal((await other()).status, 200);
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
