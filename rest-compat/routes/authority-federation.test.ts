import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createDomainAssignments } from '@landfall/authority';
import { CLIENT, type IdentityProvider, identityProvider } from '@landfall/authority/testing/identity-provider';
import { text, textArray } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import { graphql } from 'graphql';
import { decodeJwt } from 'jose';
import { type AuthorityApp, authorityApp, CALLBACK, pkce } from '../testing/authority-app.ts';
import { cookieJar } from '../testing/browser.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());

const admin = (tenant: string) =>
  caller({ tenant, subject: '00000000-0000-7000-8000-00000000000a', scopes: ['authority:admin'] });

const ask = async (source: string, variableValues: Record<string, unknown>, tenant = 'acme') => {
  const { authority } = app;
  const answer = await graphql({
    schema: authority.schema,
    source,
    variableValues,
    contextValue: authority.context(admin(tenant)),
  });
  return { data: answer.data ?? {}, error: answer.errors?.[0]?.originalError };
};

const request = async (source: string, variableValues: Record<string, unknown>, tenant = 'acme') => {
  const { data, error } = await ask(source, variableValues, tenant);
  assert.equal(error, undefined);
  return Object(Object.values(data)[0]);
};

const CREATE = `mutation ($input: CreateIdentityProviderInput!) {
  createIdentityProvider(input: $input) { id name issuer clientId scopes domains groupsClaim createsUsers redirectUri active version }
}`;
const UPDATE = `mutation ($input: UpdateIdentityProviderInput!) { updateIdentityProvider(input: $input) { id version active } }`;
const REMOVE = `mutation ($input: DeleteIdentityProviderInput!) { deleteIdentityProvider(input: $input) }`;
const GROUP = `mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }`;

let serial = 0;

/** Creates a provider of a tenant that is trusted for a domain of its own. */
const trusted = async (overrides: Record<string, unknown> = {}, idp?: IdentityProvider, tenant = 'acme') => {
  const provider = idp ?? (await identityProvider());
  const domain = `d${serial++}.example`;
  const created = await request(
    CREATE,
    {
      input: {
        name: `Example ${serial}`,
        issuer: provider.issuer,
        clientId: CLIENT.id,
        clientSecret: CLIENT.secret,
        scopes: ['openid', 'profile', 'email', 'groups'],
        domains: [domain],
        createsUsers: true,
        ...overrides,
      },
    },
    tenant,
  );
  provider.allow(created.redirectUri);
  await createDomainAssignments(app.deps, 'test').assign(tenant, domain);
  return { idp: provider, domain, made: created };
};

/** A browser that presses "Continue with single sign-on"; where the provider wants it. */
const leave = async (username: string, jar = cookieJar(), client = app.clients.console) => {
  const { verifier, challenge } = pkce();
  const page = await app.get(app.authorizeUrl({ code_challenge: challenge, client_id: client.id }), jar);
  const answer = await app.submit(await page.text(), jar, { username, via: 'sso' });
  const pageText = await answer.text();
  const to = /<a class="btn" href="([^"]*)"/.exec(pageText)?.[1]?.replaceAll('&amp;', '&') ?? '';
  return { jar, verifier, to, shown: pageText, status: answer.status };
};

/** Walks through the provider's own pages until it sends the browser back. */
const throughProvider = async (to: string): Promise<string> => {
  const jar = cookieJar();
  for (let at = to, hops = 0; hops < 10; hops++) {
    const response = await fetch(at, { redirect: 'manual', headers: { cookie: jar.header() } });
    jar.storeCookies(response);
    const location = response.headers.get('location');
    assert.ok(location, `${response.status} ${await response.text()}`);
    at = new URL(location, at).href;
    if (at.startsWith(app.origin)) return at;
  }
  return assert.fail('the provider never sends anybody back');
};

const signIn = async (username: string) => {
  const remaining = await leave(username);
  assert.equal(remaining.status, 200, remaining.shown);
  const back = await app.get(await throughProvider(remaining.to), remaining.jar);
  return { ...remaining, back, code: new URL(back.headers.get('location') ?? 'x:').searchParams.get('code') ?? '' };
};

const tokens = async (username: string) => {
  const { code, verifier, back } = await signIn(username);
  assert.equal(back.status, 303, await back.text());
  return (await app.exchange({ code, verifier })).body;
};

const person = table('person', { username: text, groupRoles: textArray });
const find = async (username: string) =>
  (await app.rows(person, sql`select username, group_roles from authority.users where username = ${username}`))[0];

test('somebody new comes through a provider, with the roles of the groups that it names, as long as it names them', async () => {
  const { idp, domain, made: created } = await trusted();
  const sources = [created.id];
  await request(GROUP, { input: { displayName: 'Release Approvers', roles: ['approver'], sources } });
  await request(GROUP, { input: { displayName: 'Watchers', roles: ['viewer'], sources } });
  const username = `ann@${domain}`;
  const account = { sub: 'ann-1', preferred_username: username, email: username, name: 'Ann' };
  idp.signInAs({ ...account, groups: ['release approvers', 'watchers', 'nothing we know'] });
  const first = await tokens(username);
  assert.deepEqual(String(first.scope).split(' ').toSorted(), [
    'offline_access',
    'openid',
    'orch:approve',
    'orch:read',
    'profile',
  ]);
  assert.deepEqual(decodeJwt(String(first.id_token)).amr, ['fed']);
  assert.deepEqual((await find(username))?.groupRoles, ['approver', 'viewer']);
  idp.signInAs({ ...account, groups: 'Watchers' });
  const second = await tokens(username);
  assert.equal(String(second.scope).includes('orch:approve'), false);
  assert.deepEqual((await find(username))?.groupRoles, ['viewer']);
  await assert.rejects(app.callerOf(first.access_token));
  idp.signInAs(account);
  await tokens(username);
  assert.deepEqual((await find(username))?.groupRoles, []);
  assert.deepEqual(app.bugs, []);
});

test('groups and names that only userinfo tells are asked for there', async () => {
  const { idp, domain, made: created } = await trusted({}, await identityProvider({ isTerse: true }));
  await request(GROUP, { input: { displayName: 'Userinfo team', roles: ['viewer'], sources: [created.id] } });
  const username = `terse@${domain}`;
  idp.signInAs({ sub: 'terse', preferred_username: username, email: username, groups: ['Userinfo team'] });
  await tokens(username);
  assert.deepEqual((await find(username))?.groupRoles, ['viewer']);
});

test('a person with a password is never taken over, and who is unknown is not let in unless the provider creates people', async () => {
  const { idp, domain } = await trusted({ createsUsers: false });
  const username = `vera@${domain}`;
  await app.authority.bootstrap.ensureUser({
    tenant: 'acme',
    username,
    displayName: 'Vera',
    password: 'correct horse battery',
    roles: ['admin'],
  });
  idp.signInAs({ sub: 'impostor', preferred_username: username });
  const refused = await signIn(username);
  assert.equal(refused.back.status, 403);
  assert.match(await refused.back.text(), /signs in another way/);
  idp.signInAs({ sub: 'stranger', preferred_username: `stranger@${domain}` });
  const unknown = await signIn(username);
  assert.equal(unknown.back.status, 403);
  assert.match(await unknown.back.text(), /nobody here has your name/);
  assert.equal(await find(`stranger@${domain}`), undefined);
});

test('a provider speaks for its own domains only, and for names that can be names here', async () => {
  const { idp, domain } = await trusted();
  for (const [account, message] of [
    [{ sub: 's1', preferred_username: 'ceo@elsewhere.example' }, /may not speak for the domain/],
    [{ sub: 's2', preferred_username: 'Not A Name' }, /did not say a user name/],
    [{ sub: 's3' }, /did not say a user name/],
  ] as const) {
    idp.signInAs(account);
    const { back } = await signIn(`x@${domain}`);
    assert.equal(back.status, 403);
    assert.match(await back.text(), message);
  }
});

test('somebody whom a directory provisioned is linked by name once; another subject of that name is not', async () => {
  const { idp, domain } = await trusted({ createsUsers: false });
  const username = `dora@${domain}`;
  await app.authority.scim.people.create(admin('acme'), {
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: username },
  });
  idp.signInAs({ sub: 'dora', preferred_username: username });
  await tokens(username);
  idp.signInAs({ sub: 'not dora', preferred_username: username });
  assert.equal((await signIn(username)).back.status, 403);
  idp.signInAs({ sub: 'dora', preferred_username: `renamed@${domain}` });
  await tokens(username);
});

test('an e-mail that nobody verified is no name, and takes no place that a directory made', async () => {
  const { idp, domain } = await trusted();
  const email = `eve@${domain}`;
  await app.authority.scim.people.create(admin('acme'), {
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: email },
  });
  for (const more of [{}, { email_verified: false }]) {
    idp.signInAs({ sub: 'squatter', email, ...more });
    const { back } = await signIn(email);
    assert.equal(back.status, 403);
    assert.match(await back.text(), /did not say a user name/);
  }
  idp.signInAs({ sub: 'eve', email, email_verified: true });
  await tokens(email);
});

test('who was only known to a directory is linked to nobody, and who was deleted comes again', async () => {
  const { idp, domain } = await trusted({ createsUsers: false });
  const userName = `local@${domain}`;
  const { people } = app.authority.scim;
  const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName };
  const answer = await ask('mutation ($input: InviteUserInput!) { inviteUser(input: $input) { user { id } } }', {
    input: { username: userName, displayName: 'Local', roles: [] },
  });
  const { id } = Object(Object(answer.data.inviteUser).user);
  await people.patch(admin('acme'), { id, body: { Operations: [{ op: 'add', path: 'title', value: 'Clerk' }] } });
  idp.signInAs({ sub: 'local', preferred_username: userName });
  assert.equal((await signIn(userName)).back.status, 403);
  await people.remove(admin('acme'), { id });
  const created = await people.create(admin('acme'), { body });
  await tokens(userName);
  await people.remove(admin('acme'), { id: created.resource.id });
  await people.create(admin('acme'), { body });
  await tokens(userName);
});

test('a sign-in is as old as the provider says, and one that must be new is one', async () => {
  const { idp, domain } = await trusted();
  const username = `stale@${domain}`;
  idp.signInAs({ sub: 'stale', preferred_username: username });
  const through = async (overrides: Readonly<Record<string, string>>) => {
    const jar = cookieJar();
    const { verifier, challenge } = pkce();
    const page = await app.get(app.authorizeUrl({ code_challenge: challenge, ...overrides }), jar);
    const pageText = await (await app.submit(await page.text(), jar, { username, via: 'sso' })).text();
    const to = new URL(/<a class="btn" href="([^"]*)"/.exec(pageText)?.[1]?.replaceAll('&amp;', '&') ?? '');
    const maxAge = to.searchParams.get('max_age');
    // A provider that ignores what was requested: the authority must check the authentication time itself.
    to.searchParams.set('max_age', '1000000');
    to.searchParams.delete('prompt');
    const back = await app.get(await throughProvider(to.href), jar);
    const code = new URL(back.headers.get('location') ?? 'x:').searchParams.get('code') ?? '';
    return { maxAge, back, code, verifier };
  };
  assert.equal((await through({ max_age: '60' })).back.status, 303);
  // From here on the provider's sign-ins are an hour old.
  const hour = 3_600_000;
  await app.clock.advance(Date.now() + hour - app.clock.now().getTime());
  for (const more of [{ max_age: '60' }, { prompt: 'login' }]) {
    const { maxAge, back } = await through(more);
    assert.equal(maxAge, more.max_age ?? '0');
    assert.equal(back.status, 400);
    assert.match(await back.text(), /needs a new sign-in/);
  }
  const { code, verifier } = await through({});
  const { body } = await app.exchange({ code, verifier });
  const age = app.clock.now().getTime() / 1_000 - Number(decodeJwt(String(body.id_token)).auth_time);
  assert.ok(age > 3_500 && age < 3_700, String(age));
});

test('a request that is too long for a cookie comes back from a provider, too', async () => {
  const { idp, domain } = await trusted();
  const username = `long@${domain}`;
  idp.signInAs({ sub: 'long', preferred_username: username });
  const jar = cookieJar();
  const { verifier, challenge } = pkce();
  const state = '/'.repeat(2_000);
  const page = await app.get(app.authorizeUrl({ code_challenge: challenge, state }), jar);
  const answer = await app.submit(await page.text(), jar, { username, via: 'sso' });
  for (const cookie of answer.headers.getSetCookie()) assert.ok(cookie.length < 4_000, String(cookie.length));
  const to = /<a class="btn" href="([^"]*)"/.exec(await answer.text())?.[1]?.replaceAll('&amp;', '&') ?? '';
  const back = new URL((await app.get(await throughProvider(to), jar)).headers.get('location') ?? 'x:').searchParams;
  assert.equal(back.get('state'), state);
  assert.equal((await app.exchange({ code: back.get('code') ?? '', verifier })).status, 200);
});

test('who is deactivated is not let in through a provider', async () => {
  const { idp, domain } = await trusted();
  const username = `gone@${domain}`;
  idp.signInAs({ sub: 'gone', preferred_username: username });
  await tokens(username);
  const found = Object(await app.authority.scim.people.list(admin('acme'), { filter: `userName eq "${username}"` }));
  await app.authority.scim.people.patch(admin('acme'), {
    id: found.resources[0].id,
    body: { Operations: [{ op: 'replace', path: 'active', value: false }] },
  });
  const { back } = await signIn(username);
  assert.equal(back.status, 403);
  assert.match(await back.text(), /You may not sign in here/);
  assert.deepEqual(app.bugs, []);
});

const changed = (url: string, change: (query: URLSearchParams) => void): string => {
  const next = new URL(url);
  change(next.searchParams);
  return next.href;
};

test('an answer with another nonce, state, issuer or code is refused, and so is one that comes again', async () => {
  const { idp, domain } = await trusted();
  const username = `mallory@${domain}`;
  idp.signInAs({ sub: 'mallory', preferred_username: username });
  const swapped = await leave(username);
  const otherNonce = changed(swapped.to, (query) => query.set('nonce', 'another'));
  const refusals: readonly (readonly [what: string, url: string, jar: ReturnType<typeof cookieJar>])[] = [
    ['nonce', await throughProvider(otherNonce), swapped.jar],
  ];
  for (const [name, url, jar] of refusals) assert.equal((await app.get(url, jar)).status, 400, name);
  for (const change of [
    (query: URLSearchParams) => query.set('state', 'another'),
    (query: URLSearchParams) => query.delete('state'),
    (query: URLSearchParams) => query.append('state', 'second'),
    (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
    (query: URLSearchParams) => query.delete('iss'),
    (query: URLSearchParams) => query.set('code', 'another'),
    (query: URLSearchParams) => query.append('code', 'second'),
  ]) {
    const remaining = await leave(username);
    const answer = await app.get(changed(await throughProvider(remaining.to), change), remaining.jar);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /could not be verified/);
  }
  const good = await leave(username);
  const back = await throughProvider(good.to);
  assert.equal((await app.get(back, cookieJar())).status, 400, 'another browser');
  assert.equal((await app.get(back, good.jar)).status, 303);
  assert.equal((await app.get(back, good.jar)).status, 400, 'again');
  assert.deepEqual(app.bugs, []);
});

test('an answer that comes to another provider’s address is refused (RFC 9700 4.4)', async () => {
  const [honest, other] = [await trusted(), await trusted()];
  honest.idp.signInAs({ sub: 'honest', preferred_username: `h@${honest.domain}` });
  const remaining = await leave(`h@${honest.domain}`);
  const back = await throughProvider(remaining.to);
  const redirected = back.replace(honest.made.id, other.made.id);
  const answer = await app.get(redirected, remaining.jar);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /begun in another browser/);
});

test('a refusal of the provider is told in words', async () => {
  const { domain, made: created } = await trusted();
  const remaining = await leave(`r@${domain}`);
  const state = new URL(remaining.to).searchParams.get('state') ?? '';
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description: '<b>x</b>',
    state,
    iss: created.issuer,
  });
  const answer = await app.get(`${created.redirectUri}?${query}`, remaining.jar);
  assert.equal(answer.status, 400);
  const page = await answer.text();
  assert.match(page, /did not let you in, or you turned back/);
  assert.equal(page.includes('<b>x</b>'), false);
  assert.match(page, /href="\/sign-in\?[^"]+">Try again/);
});

test('a provider that is down leaves a page with a way back, and nothing half-written', async () => {
  const { idp, domain } = await trusted();
  const username = `down@${domain}`;
  idp.signInAs({ sub: 'down', preferred_username: username });
  const remaining = await leave(username);
  const back = await throughProvider(remaining.to);
  idp.fail();
  const answer = await app.get(back, remaining.jar);
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /Nothing was changed; try again/);
  assert.equal(await find(username), undefined);
  const later = await trusted();
  await later.idp[Symbol.asyncDispose]();
  const removed = await leave(`x@${later.domain}`);
  assert.equal(removed.status, 503);
  assert.match(removed.shown, /cannot be reached/);
});

test('a name’s domain leads to its provider; an unknown domain, another tenant’s client and a paused provider to none', async () => {
  const { idp, domain, made: created } = await trusted();
  idp.signInAs({ sub: 'known', preferred_username: `known@${domain}` });
  const remaining = await leave(`known@${domain}`);
  const to = new URL(remaining.to);
  assert.equal(to.origin, idp.issuer);
  assert.equal(to.searchParams.get('code_challenge_method'), 'S256');
  assert.equal(to.searchParams.get('login_hint'), `known@${domain}`);
  assert.equal(to.searchParams.get('redirect_uri'), created.redirectUri);
  for (const name of ['known', 'known@unknown.example', '@', '']) {
    const none = await leave(name);
    assert.deepEqual([none.status, none.to], [400, ''], name);
  }
  const other = await trusted({}, undefined, 'globex');
  assert.equal((await leave(`x@${other.domain}`, cookieJar(), app.clients.acmeApp)).status, 400);
  await request(UPDATE, { input: { id: created.id, active: false, expectedVersion: 1 } });
  assert.equal((await leave(`known@${domain}`)).status, 400);
});

test('a client of one tenant shows its providers as buttons', async () => {
  const { made: created, idp, domain } = await trusted();
  idp.signInAs({ sub: 'button', preferred_username: `button@${domain}` });
  const jar = cookieJar();
  const page = await app.get(
    app.authorizeUrl({ code_challenge: pkce().challenge, client_id: app.clients.acmeApp.id }),
    jar,
  );
  const pageText = await page.text();
  assert.ok(pageText.includes(`value="provider:${created.id}"`));
  const answer = await app.submit(pageText, jar, { via: `provider:${created.id}` });
  const to = /<a class="btn" href="([^"]*)"/.exec(await answer.text())?.[1]?.replaceAll('&amp;', '&') ?? '';
  const back = await app.get(await throughProvider(to), jar);
  assert.equal(back.status, 303);
  assert.ok(back.headers.get('location')?.startsWith(CALLBACK));
});

test('what is no provider is not trusted, and a domain is one provider’s in its tenant', async () => {
  const { made: created, domain, idp } = await trusted();
  const input = { name: 'N', clientId: 'x', clientSecret: 'y', domains: [] };
  const code = async (overrides: Record<string, unknown>, tenant?: string) =>
    Object((await ask(CREATE, { input: { ...input, ...overrides } }, tenant)).error).code;
  for (const issuer of [
    'nothing',
    'http://id.example.com',
    'ftp://x',
    `${idp.issuer}/other`,
    `${idp.issuer}?x=1`,
    'http://127.0.0.1:1',
  ])
    assert.equal(await code({ issuer }), 'VAL_INVALID_VALUE', issuer);
  for (const name of ['Example.com', 'localhost', 'a b.example', 'x@example.com', '*.example'])
    assert.equal(await code({ issuer: idp.issuer, domains: [name] }), 'VAL_INVALID_FORMAT', name);
  assert.equal(await code({ issuer: idp.issuer, name: 'Second', domains: [domain] }), 'RES_ALREADY_EXISTS');
  assert.equal(await code({ issuer: idp.issuer, name: created.name.toUpperCase() }), 'RES_ALREADY_EXISTS');
  const { error } = await ask(UPDATE, { input: { id: created.id, name: 'Mine', expectedVersion: 1 } }, 'globex');
  assert.equal(Object(error).code, 'RES_NOT_FOUND');
  const rows = await app.rows(
    table('kept', { row: text }),
    sql`select p::text as row from authority.identity_providers p
    union all select e::text from kernel.events e`,
  );
  assert.equal(JSON.stringify(rows).includes(CLIENT.secret), false);
});

test('a provider that is removed takes its memberships along and leaves its people', async () => {
  const { made: created, domain, idp } = await trusted();
  await request(GROUP, { input: { displayName: 'Leavers', roles: ['viewer'], sources: [created.id] } });
  const username = `stay@${domain}`;
  idp.signInAs({ sub: 'stay', preferred_username: username, groups: ['Leavers'] });
  await tokens(username);
  assert.deepEqual((await find(username))?.groupRoles, ['viewer']);
  await request(REMOVE, { input: { id: created.id, expectedVersion: 1 } });
  assert.deepEqual(await find(username), { username, groupRoles: [] });
  assert.equal((await leave(username)).status, 400);
});

test('somebody new who comes through eight browsers at once is one person', async () => {
  const { idp, domain } = await trusted();
  const username = `eight@${domain}`;
  idp.signInAs({ sub: 'eight', preferred_username: username });
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(username)));
  assert.deepEqual(
    answers.map(({ back }) => back.status),
    Array(8).fill(303),
  );
  const rows = await app.rows(
    person,
    sql`select username, group_roles from authority.users where username = ${username}`,
  );
  assert.equal(rows.length, 1);
  assert.deepEqual(app.bugs, []);
});

test('a groups claim fills no group that an administrator did not map to that very provider', async () => {
  const { idp, domain } = await trusted();
  const other = await trusted();
  await request(GROUP, { input: { displayName: 'Masters', roles: ['admin'] } });
  await request(GROUP, { input: { displayName: 'Theirs', roles: ['approver'], sources: [other.made.id] } });
  await request(GROUP, { input: { displayName: 'Directory only', roles: ['approver'], sources: ['scim'] } });
  const username = `mallory@${domain}`;
  idp.signInAs({ sub: 'mallory', preferred_username: username, groups: ['Masters', 'Theirs', 'Directory only'] });
  await signIn(username);
  assert.deepEqual((await find(username))?.groupRoles, []);
});

test('a provider that names no group any more leaves the last administrator their role', async () => {
  const tenant = 'lonely';
  await app.authority.bootstrap.ensureTenant({ tenant, name: tenant });
  const { idp, domain, made: created } = await trusted({}, undefined, tenant);
  await request(GROUP, { input: { displayName: 'Masters', roles: ['admin'], sources: [created.id] } }, tenant);
  await request(GROUP, { input: { displayName: 'Watchers', roles: ['viewer'], sources: [created.id] } }, tenant);
  const rolesOf = async (username: string) =>
    (
      await app.rows(
        person,
        sql`select username, group_roles from authority.users where username = ${username}`,
        tenant,
      )
    )[0]?.groupRoles;
  const [manager, second] = [`boss@${domain}`, `second@${domain}`];
  idp.signInAs({ sub: 'boss', preferred_username: manager, groups: ['Masters', 'Watchers'] });
  await tokens(manager);
  idp.signInAs({ sub: 'boss', preferred_username: manager });
  await tokens(manager);
  assert.deepEqual(await rolesOf(manager), ['admin']);
  idp.signInAs({ sub: 'second', preferred_username: second, groups: ['Masters'] });
  await tokens(second);
  idp.signInAs({ sub: 'boss', preferred_username: manager });
  await signIn(manager);
  assert.deepEqual(await rolesOf(manager), []);
});
