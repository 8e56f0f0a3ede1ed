import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { after, before, beforeEach, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { integer, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { people } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { graphql } from 'graphql';
import { decodeJwt } from 'jose';
import { type AuthorityApp, authorityApp, CALLBACK, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());
// Later than every back-off that the failures of an earlier test have caused.
beforeEach(() => app.clock.advance(3_700_000));

const { challenge } = pkce();

/** The page as a browser is first shown it. */
const opened = async (parameters: Readonly<Record<string, string>> = {}) => {
  const jar = cookieJar();
  const response = await app.get(app.authorizeUrl({ code_challenge: challenge, ...parameters }), jar);
  return { jar, response, page: await response.text() };
};

const attempt = async (username: string, password: string) => {
  const { jar, page } = await opened();
  const response = await app.submit(page, jar, { username, password });
  return { status: response.status, headers: response.headers, page: await response.text(), jar };
};

/** The words beside the fields. */
const errorIn = (page: string): string | undefined => /role="alert">([^<]*)</.exec(page)?.[1];

const back = (response: Response) => {
  const location = new URL(response.headers.get('location') ?? 'missing:');
  const answer: Record<string, string> = Object.fromEntries(location.searchParams);
  return { ...answer, to: `${location.origin}${location.pathname}` };
};

test('a request in a form is led to the same request in an address', async () => {
  const url = new URL(app.authorizeUrl({ code_challenge: challenge, resource: 'urn:example:1' }));
  url.searchParams.append('resource', 'urn:example:2');
  const send = (body: string) =>
    fetch(`${app.origin}/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  const answered = await send(String(url.searchParams));
  assert.equal(answered.status, 303);
  const led = new URL(answered.headers.get('location') ?? '', app.origin);
  url.searchParams.sort();
  led.searchParams.sort();
  assert.deepEqual([led.pathname, led.search], ['/authorize', url.search]);
  assert.equal((await send(`${url.searchParams}&state=${'s'.repeat(9_000)}`)).status, 400);
  assert.equal((await send(`state=${'s'.repeat(9_000)}`)).status, 400);
});

test('what a GET does, a HEAD does not: the pages have none', async () => {
  const { jar } = await app.signIn('vic');
  const codes = table('codes', { n: integer });
  const count = async () => (await app.rows(codes, sql`select count(*)::integer as n from authority.codes`))[0]?.n;
  const before = await count();
  for (const path of [app.authorizeUrl({ code_challenge: challenge }), '/end-session', '/account', '/consent']) {
    const response = await fetch(new URL(path, app.origin), { method: 'HEAD', headers: { cookie: jar.header() } });
    assert.ok([404, 405].includes(response.status), `${path} ${response.status}`);
  }
  assert.equal(await count(), before);
  assert.equal((await app.get('/account', jar)).status, 200, 'nobody was signed out');
});

test('the page loads nothing, runs nothing, may be framed by nobody and is kept nowhere', async () => {
  const { response, page, jar } = await opened();
  assert.equal(response.status, 200);
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self' https:\/\/app\.example; frame-ancestors 'none'; base-uri 'none'$/,
  );
  assert.equal(response.headers.get('x-frame-options'), 'DENY');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(/<script|\sstyle=|\son\w+=|src=|javascript:/i.test(page), false);
  assert.match(
    response.headers.get('set-cookie') ?? '',
    /^landfall-authority-form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.deepEqual([...jar.kept.keys()], ['landfall-authority-form']);
});

test('a right pair goes back with a code, the state and the issuer, and keeps what the address had', async () => {
  const { location, jar } = await app.signIn('ada');
  const { code, ...others } = Object.fromEntries(location.searchParams);
  assert.match(code ?? '', /^[\w-]{43}$/);
  assert.deepEqual(others, { kept: '1', state: 'st', iss: app.origin });
  assert.ok(jar.kept.has('landfall-authority'));
  assert.ok((await app.events()).includes('user.signIn'));
});

test('a name is read without its case and its blanks', async () => {
  const { status } = await attempt('  ADA ', PASSWORD);
  assert.equal(status, 303);
});

test('a wrong password and an unknown name get the same page, and both cost a hash', async () => {
  const hashes = { ada: 0, nobody: 0 };
  let name: keyof typeof hashes = 'ada';
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ARGON2REQUEST') hashes[name] += 1;
    },
  }).enable();
  const known = await attempt('ada', 'wrong password');
  name = 'nobody';
  const unknown = await attempt('nobody', 'wrong password');
  hook.disable();
  assert.deepEqual(hashes, { ada: 1, nobody: 1 });
  const masked = ({ page }: { page: string }) =>
    page.replaceAll(/ada|nobody/g, 'NAME').replace(hidden(page, 'csrf'), 'CSRF');
  assert.equal(known.status, 400);
  assert.equal(unknown.status, 400);
  assert.equal(errorIn(known.page), 'User name or password is wrong.');
  assert.equal(masked(unknown), masked(known));
});

const failures = table('events', { entityId: text, method: text, address: text });

test('a refused sign-in of a known person is in the trail, with what was wrong; of an unknown name nothing is', async () => {
  const listed = () =>
    app.rows(
      failures,
      sql`select entity_id, data ->> 'method' as method, data ->> 'address' as address from kernel.events
        where type = 'user.signInFailed' order by xid, id`,
    );
  const before = (await listed()).length;
  await attempt('nobody-of-that-name', 'wrong password');
  await attempt('vic', 'wrong password');
  await until(async () => (await listed()).length !== before);
  const events = (await listed()).slice(before);
  assert.deepEqual(events, [{ entityId: app.people.vic, method: 'password', address: '127.0.0.1' }]);
});

test('a name that nobody has, one of another tenant, of a stopped person and without a password all get the same bytes', async () => {
  const { bootstrap } = app.authority;
  const seed = { tenant: 'acme', displayName: 'X', password: PASSWORD, roles: ['viewer' as const] };
  const stopped = await bootstrap.ensureUser({ ...seed, username: 'stopped' });
  const waiting = await bootstrap.ensureUser({ ...seed, username: 'waiting' });
  await app.deps.database.write(toTenantId('acme'), async (tx) => {
    await tx.run(sql`update authority.users set active = false where id = ${stopped}`);
    await tx.run(sql`update authority.users set password_hash = null where id = ${waiting}`);
  });
  const answers = new Set<string>();
  for (const [username, password] of [
    ['ada', 'wrong password'],
    ['nobody', PASSWORD],
    ['gil', PASSWORD],
    ['stopped', PASSWORD],
    ['waiting', ''],
  ] as const) {
    const { jar, page } = await opened({ client_id: app.clients.acmeApp.id });
    const response = await app.submit(page, jar, { username, password });
    const body = (await response.text()).replaceAll(username, 'NAME').replace(hidden(page, 'csrf'), 'CSRF');
    const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'set-cookie');
    const length = headers.map(([name, value]) => (name === 'content-length' ? [name, ''] : [name, value]));
    answers.add(JSON.stringify([response.status, length, body]));
  }
  assert.equal(answers.size, 1);
});

test('a name of another tenant is unknown to a tenant’s own client', async () => {
  const parameters = { client_id: app.clients.acmeApp.id };
  const other = await opened(parameters);
  const refused = await app.submit(other.page, other.jar, { username: 'gil', password: PASSWORD });
  assert.equal(refused.status, 400);
  assert.equal(errorIn(await refused.text()), 'User name or password is wrong.');
  assert.equal(other.jar.kept.has('landfall-authority'), false);
  const own = await app.signIn('ada', parameters);
  assert.equal((await app.exchange(own, app.clients.acmeApp)).status, 200);
});

test('tries at one name from one address must wait, those at other names need not, and time heals', async () => {
  for (const remaining of [undefined, undefined, 'Two tries left', 'One try left', 'The next try']) {
    const { page } = await attempt('vic', 'wrong password');
    if (remaining) assert.match(errorIn(page) ?? '', new RegExp(remaining));
  }
  const refused = await attempt('vic', PASSWORD);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(errorIn(refused.page), 'Too many tries from here. Wait 1 second.');
  assert.equal((await attempt('ada', PASSWORD)).status, 303);
  await app.clock.advance(1_000);
  await attempt('vic', 'wrong password');
  assert.equal((await attempt('vic', PASSWORD)).headers.get('retry-after'), '2');
  await app.clock.advance(2_000);
  assert.equal((await attempt('vic', PASSWORD)).status, 303);
  assert.equal(errorIn((await attempt('vic', 'wrong password')).page), 'User name or password is wrong.');
});

test('of many tries at once no more are looked at than are free', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => attempt('vic', 'wrong password')));
  assert.equal(answers.filter(({ status }) => status === 400).length, 5);
  assert.equal(answers.filter(({ status }) => status === 429).length, 7);
});

test('a form without the token of this browser’s own page is not taken', async () => {
  const own = await opened();
  const other = await opened();
  for (const csrf of ['', 'guess', hidden(other.page, 'csrf')]) {
    const response = await app.submit(own.page, own.jar, { username: 'ada', password: PASSWORD, csrf });
    assert.equal(response.status, 403, csrf);
  }
  const noCookie = await app.submit(own.page, cookieJar(), { username: 'ada', password: PASSWORD });
  assert.equal(noCookie.status, 403);
});

test('what a person types is shown as text', async () => {
  const { page } = await attempt('"><script>alert(1)</script>', 'wrong password');
  assert.equal(page.includes('<script>'), false);
  assert.ok(page.includes('value="&quot;&gt;&lt;script&gt;'));
});

// spec: rulings/69
test('nobody is redirected to an address that is not registered, letter for letter', async () => {
  const addresses = [
    'https://evil.example/',
    'https://app.example/callback',
    `${CALLBACK}&more=1`,
    `${CALLBACK}#fragment`,
    'https://app.example/callback?kept=1/../x',
    'https://app.example:443/callback?kept=1',
    'https://APP.example/callback?kept=1',
    'https://app.example@evil.example/callback?kept=1',
    'javascript:alert(1)',
    '',
  ];
  for (const address of addresses) {
    const { response } = await opened({ redirect_uri: address });
    assert.deepEqual([response.status, response.headers.get('location')], [400, null], address);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
  }
  for (const id of ['unknown', '00000000-0000-7000-8000-0000000000ff', '']) {
    const { response } = await opened({ client_id: id });
    assert.deepEqual([response.status, response.headers.get('location')], [400, null], id);
  }
  const duplicated = await app.get(
    `${app.authorizeUrl({ code_challenge: challenge })}&redirect_uri=https%3A%2F%2Fevil.example`,
  );
  assert.deepEqual([duplicated.status, duplicated.headers.get('location')], [400, null]);
});

// spec: rulings/69
test('what is wrong with a request goes back with its name, the state and the issuer', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ response_type: '' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ code_challenge: '' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: '' }, 'invalid_request'],
    [{ scope: 'nothing:known' }, 'invalid_scope'],
    [{ id_token_hint: 'nothing' }, 'invalid_request'],
    [{ scope: 'scanner:write' }, 'invalid_scope'],
    [{ request: 'x' }, 'request_not_supported'],
    [{ request_uri: 'https://evil.example' }, 'request_uri_not_supported'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
  ];
  for (const [parameters, error] of cases) {
    const { response } = await opened(parameters);
    const { error_description: description, ...answer }: Record<string, string> = back(response);
    assert.deepEqual(
      answer,
      { error, kept: '1', state: 'st', iss: app.origin, to: 'https://app.example/callback' },
      JSON.stringify(parameters),
    );
    assert.ok(description);
  }
});

test('who is signed in gets the next code without the page, unless the request wants a new sign-in', async () => {
  const { jar } = await app.signIn('ada');
  const ask = (parameters: Readonly<Record<string, string>>) =>
    app.get(app.authorizeUrl({ code_challenge: challenge, ...parameters }), jar);
  assert.ok('code' in back(await ask({})));
  assert.ok('code' in back(await ask({ prompt: 'none' })));
  assert.equal((await ask({ prompt: 'login' })).status, 200);
  await app.clock.advance(60_000);
  assert.ok('code' in back(await ask({ max_age: '60' })));
  assert.equal((await ask({ max_age: '59' })).status, 200);
  await app.clock.advance(86_400_000);
  assert.equal((await ask({})).status, 200);
});

test('each sign-in has a session id of its own, whatever cookie it came with', async () => {
  const jar = cookieJar();
  jar.kept.set('landfall-authority', 'planted');
  await app.signIn('ada', { jar });
  const first = jar.kept.get('landfall-authority');
  await app.signIn('ada', { jar, prompt: 'login' });
  assert.notEqual(first, 'planted');
  assert.notEqual(jar.kept.get('landfall-authority'), first);
});

test('the ID token says who signed in, when, and for which request', async () => {
  const signedIn = await app.signIn('ada', { nonce: 'n-1' });
  await app.clock.advance(10_000);
  const { body } = await app.exchange(signedIn);
  const { iat, ...claims } = decodeJwt(String(body.id_token));
  const now = app.clock.now().getTime() / 1000;
  assert.equal(iat, now);
  assert.deepEqual(claims, {
    iss: app.origin,
    sub: app.people.ada,
    aud: app.clients.console.id,
    exp: now + 900,
    auth_time: now - 10,
    amr: ['pwd'],
    nonce: 'n-1',
    preferred_username: 'ada',
    name: 'ada of acme',
  });
});

test('an ID token and an access token cannot stand in for each other', async () => {
  const { body } = await app.exchange(await app.signIn('ada'));
  await assert.rejects(app.callerOf(body.id_token), { code: 'AUTH_TOKEN_INVALID' });
  const { jar } = await app.signIn('ada');
  const request = await app.get(`/end-session?id_token_hint=${String(body.access_token)}`, jar);
  assert.match(await request.text(), /Sign out of Landfall\?/);
});

test('signing out with an ID token ends the session and goes to a registered address only', async () => {
  const home = 'https://app.example/';
  for (const [address, status] of [[home, 303] as const, ['https://evil.example/', 200] as const]) {
    const signedIn = await app.signIn('ada');
    const { body } = await app.exchange(signedIn);
    const query = new URLSearchParams({
      id_token_hint: String(body.id_token),
      post_logout_redirect_uri: address,
      state: 's',
    });
    const response = await app.get(`/end-session?${query}`, signedIn.jar);
    assert.equal(response.status, status);
    assert.equal(response.headers.get('location'), status === 303 ? `${home}?state=s` : null);
    assert.equal(signedIn.jar.kept.has('landfall-authority'), false);
  }
  assert.ok((await app.events()).includes('user.signOut'));
});

test('a link from anywhere only asks whether to sign out; the session ends on the person’s word', async () => {
  const { jar } = await app.signIn('ada');
  const cookie = jar.kept.get('landfall-authority') ?? '';
  const request = await app.get('/end-session', jar);
  const page = await request.text();
  assert.equal((await app.submit(page, jar, { csrf: 'guess' })).status, 200);
  assert.ok(jar.kept.has('landfall-authority'));
  assert.match(await (await app.submit(page, jar, {})).text(), /You are signed out/);
  jar.kept.set('landfall-authority', cookie);
  assert.equal((await app.get(app.authorizeUrl({ code_challenge: challenge }), jar)).status, 200);
});

test('a deactivated person is stopped at once: page, session, code, refresh and the token in use', async () => {
  const { bootstrap, context, schema } = app.authority;
  const seed = { tenant: 'acme', username: 'leaver', displayName: 'Leaver', password: PASSWORD };
  const id = await bootstrap.ensureUser({ ...seed, roles: ['viewer'] });
  const signedIn = await app.signIn('leaver');
  const { body: tokens } = await app.exchange(signedIn);
  const unused = await app.signIn('leaver');
  assert.equal((await app.callerOf(tokens.access_token)).subject, id);

  const { errors } = await graphql({
    schema,
    source: 'mutation ($input: DeactivateUserInput!) { deactivateUser(input: $input) { active } }',
    variableValues: { input: { id, expectedVersion: 1 } },
    contextValue: context(people.operator),
  });
  assert.equal(errors, undefined);
  await assert.rejects(app.callerOf(tokens.access_token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.deepEqual(await app.introspect(tokens.access_token), { active: false });
  assert.equal((await app.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
  assert.equal((await app.exchange(unused)).body.error, 'invalid_grant');
  assert.equal((await app.get(app.authorizeUrl({ code_challenge: challenge }), signedIn.jar)).status, 200);
  const repeated = await attempt('leaver', PASSWORD);
  assert.deepEqual([repeated.status, errorIn(repeated.page)], [400, 'User name or password is wrong.']);
});

test('of a deactivation and refreshes at once nothing alive is left', async () => {
  const seed = { tenant: 'acme', username: 'racer', displayName: 'Racer', password: PASSWORD };
  const id = await app.authority.bootstrap.ensureUser({ ...seed, roles: ['viewer'] });
  const families = await Promise.all(
    Array.from({ length: 4 }, () => app.signIn('racer').then((it) => app.exchange(it))),
  );
  const [answers] = await Promise.all([
    Promise.all(families.map(({ body }) => app.refresh(body.refresh_token))),
    graphql({
      schema: app.authority.schema,
      source: 'mutation ($input: DeactivateUserInput!) { deactivateUser(input: $input) { active } }',
      variableValues: { input: { id, expectedVersion: 1 } },
      contextValue: app.authority.context(people.operator),
    }),
  ]);
  for (const { body } of [...families, ...answers.filter(({ status }) => status === 200)]) {
    await assert.rejects(app.callerOf(body.access_token), { code: 'AUTH_TOKEN_REVOKED' });
    assert.equal((await app.refresh(body.refresh_token)).body.error, 'invalid_grant');
  }
});

test('housekeeping forgets what has ended and nothing else', async () => {
  const counts = table('counts', { rows: integer });
  const remaining = async () =>
    (
      await app.deps.database.system.read((query) =>
        query.get(
          counts,
          sql`select ((select count(*) from authority.sessions) + (select count(*) from authority.codes) +
            (select count(*) from authority.access_tokens) + (select count(*) from authority.token_families) +
            (select count(*) from authority.sign_in_attempts))::integer as rows`,
        ),
      )
    ).rows;
  await attempt('ada', 'wrong password');
  const { body } = await app.exchange(await app.signIn('ada'));
  await app.authority.housekeeping.run();
  assert.ok((await remaining()) >= 4, 'a session, a code, an access token, a family');
  assert.equal((await app.refresh(body.refresh_token)).status, 200);
  await app.clock.advance(31 * 86_400_000);
  await app.authority.housekeeping.run();
  assert.equal(await remaining(), 0);
});

test('a family that is refreshed for years keeps no more refresh tokens than may still come', async () => {
  const counts = table('counts', { rows: integer });
  const count = sql`select count(*)::integer as rows from authority.refresh_tokens`;
  const storedCounts = async () => (await app.deps.database.system.read((query) => query.get(counts, count))).rows;
  let token = (await app.exchange(await app.signIn('ada'))).body.refresh_token;
  const consumed = token;
  for (let month = 0; month < 5; month++) {
    await app.clock.advance(29 * 86_400_000);
    token = (await app.refresh(token)).body.refresh_token;
    await app.authority.housekeeping.run();
    assert.equal(await storedCounts(), 2, 'the live one and the last that was spent');
  }
  assert.equal((await app.refresh(consumed)).body.error, 'invalid_grant');
  assert.equal((await app.refresh(token)).status, 200, 'what is long over is no reuse');
});

test('only hashes of codes, refresh tokens and sessions are kept', async () => {
  const signedIn = await app.signIn('ada');
  const { body } = await app.exchange(signedIn);
  const found = table('matches', { matches: integer });
  const secrets = [signedIn.code, body.refresh_token, signedIn.jar.kept.get('landfall-authority')].map(String);
  const [counted] = await app.rows(
    found,
    sql`select (
      (select count(*) from authority.codes c where c::text ~ any(${secrets})) +
      (select count(*) from authority.refresh_tokens r where r::text ~ any(${secrets})) +
      (select count(*) from authority.sessions s where s::text ~ any(${secrets})) +
      (select count(*) from kernel.events e where e::text ~ any(${secrets})))::integer as matches`,
  );
  assert.equal(counted?.matches, 0);
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
