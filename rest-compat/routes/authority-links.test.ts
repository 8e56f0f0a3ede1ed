import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { people } from '@landfall/kernel/testing/callers';
import { graphql } from 'graphql';
import { type AuthorityApp, authorityApp, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar } from '../testing/browser.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());
beforeEach(() => app.clock.advance(3_700_000));

type Jar = ReturnType<typeof cookieJar>;

const NEW = 'a horse of another colour';

const graph = async (source: string, variableValues: Record<string, unknown> = {}, as: Caller = people.operator) => {
  const contextValue = app.authority.context(as);
  const { data, errors } = await graphql({ schema: app.authority.schema, source, variableValues, contextValue });
  const codes = (errors ?? []).map(({ originalError }) =>
    originalError instanceof Fault ? originalError.code : undefined,
  );
  return { data: { ...data }, codes };
};

const INVITE =
  'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link expiresAt user { id username version active } } }';
const RESET = 'mutation ($input: ResetUserInput!) { resetUser(input: $input) { link user { id version } } }';

interface Link {
  readonly link: string;
  readonly user: { readonly id: string; readonly version: number };
}

const isLink = (value: unknown): value is Link => typeof value === 'object' && value !== null && 'link' in value;

const linkIn = (value: unknown): Link => {
  assert.ok(isLink(value));
  return value;
};

const invite = async (username: string) => {
  const input = { username, displayName: `${username} Invited`, roles: ['viewer'] };
  return linkIn((await graph(INVITE, { input })).data.inviteUser);
};

/** The page that a link leads to. */
const opened = async (link: string, jar: Jar = cookieJar()) => {
  const first = await app.get(new URL(link).pathname + new URL(link).search, jar);
  const page = await app.get(first.headers.get('location') ?? 'missing:', jar);
  return { jar, first, shown: page, page: await page.text() };
};

const choose = (page: string, jar: Jar, password = NEW, repeated = password) =>
  app.submit(page, jar, { password, repeated });

const signInStatus = async (username: string, password: string): Promise<number> => {
  const jar = cookieJar();
  const page = await (await app.get(app.authorizeUrl({ code_challenge: pkce().challenge }), jar)).text();
  return (await app.submit(page, jar, { username, password })).status;
};

const errorIn = (page: string): string | undefined => /role="alert">([^<]*)</.exec(page)?.[1];

test('an invited person chooses a password by the link, signs in with it, and the link is spent', async () => {
  const { link } = await invite('ivy');
  assert.ok(link.startsWith(`${app.origin}/account-link?token=`));
  assert.equal(await signInStatus('ivy', ''), 400);
  const { jar, shown: visible, page } = await opened(link);
  assert.equal(visible.status, 200);
  assert.ok(page.includes('For your user name <b>ivy</b>.'));
  const finished = await choose(page, jar);
  assert.deepEqual([finished.status, jar.kept.has('landfall-authority-link')], [200, false]);
  assert.match(await finished.text(), /Your password is set/);
  assert.equal(await signInStatus('ivy', NEW), 303);
  assert.equal((await opened(link)).shown.status, 400);
  assert.deepEqual(
    (await app.events()).filter((type) => /^user\.(invite|passwordSet)$/.test(type)),
    ['user.invite', 'user.passwordSet'],
  );
});

test('the token leaves the address at once, goes into no referrer, page, row or event', async () => {
  const { link } = await invite('ivo');
  const token = new URL(link).searchParams.get('token') ?? '';
  const { first, page } = await opened(link);
  assert.deepEqual(
    [first.status, first.headers.get('location'), first.headers.get('referrer-policy')],
    [303, '/account-link', 'no-referrer'],
  );
  assert.equal(page.includes(token), false);
  const rows = await app.rows(
    table('rows', { row: text }),
    sql`select l::text as row from authority.account_links l union all select e::text from kernel.events e`,
  );
  assert.equal(JSON.stringify(rows).includes(token), false);
});

test('a password that may not be is refused in words, and the link still works after it', async () => {
  const { link } = await invite('a-name-of-some-length');
  const { jar, page } = await opened(link);
  const cases = [
    ['short', 'short', /at least 12 characters/],
    ['x'.repeat(201), 'x'.repeat(201), /at most 200 characters/],
    ['A-name-of-some-length', 'A-name-of-some-length', /not your user name/],
    [NEW, `${NEW}!`, /not the same/],
  ] as const;
  for (const [password, repeated, message] of cases) {
    const refused = await choose(page, jar, password, repeated);
    assert.equal(refused.status, 400);
    assert.match(errorIn(await refused.text()) ?? '', message);
  }
  assert.equal((await choose(page, jar)).status, 200);
});

test('of eight posts at once exactly one sets the password', async () => {
  const { link } = await invite('octavia');
  const { jar, page } = await opened(link);
  const words = Array.from({ length: 8 }, (_, index) => `${NEW} number ${index}`);
  const answers = await Promise.all(words.map((password) => choose(page, jar, password)));
  const winners = words.filter((_, index) => answers[index]?.status === 200);
  assert.equal(winners.length, 1);
  // Only the winner's password is tried: seven wrong ones would raise the name's back-off against the right one.
  assert.equal(await signInStatus('octavia', winners[0] ?? ''), 303);
});

test('used, expired, replaced, unknown and a deactivated person’s links get the same page', async () => {
  const expired = await invite('exa');
  await app.clock.advance(7 * 86_400_000 + 1);
  const [used, removed, replaced] = [await invite('una'), await invite('gone'), await invite('rep')];
  const first = await opened(used.link);
  await choose(first.page, first.jar);
  await graph('mutation ($input: DeactivateUserInput!) { deactivateUser(input: $input) { id } }', {
    input: { id: removed.user.id, expectedVersion: removed.user.version },
  });
  await graph(RESET, { input: { id: replaced.user.id, expectedVersion: replaced.user.version } });
  const unknown = `${app.origin}/account-link?token=${'x'.repeat(43)}`;
  const odd = `${app.origin}/account-link?token=%3Cscript%3E`;
  const pages = new Set<string>();
  for (const link of [expired.link, used.link, removed.link, replaced.link, unknown, odd]) {
    const { shown: visible, page } = await opened(link);
    assert.equal(visible.status, 400);
    pages.add(page);
  }
  assert.equal(pages.size, 1);
  assert.match([...pages][0] ?? '', /Ask whoever runs Landfall for you for a new link/);
});

test('a reset ends sessions, tokens and the old password at once, and its link lives an hour', async () => {
  const id = await app.authority.bootstrap.ensureUser({
    tenant: 'acme',
    username: 'rae',
    displayName: 'Rae',
    password: PASSWORD,
    roles: ['viewer'],
  });
  const signedIn = await app.signIn('rae');
  const { body: tokens } = await app.exchange(signedIn);
  const { data } = await graph(RESET, { input: { id, expectedVersion: 1 } });
  const { link } = linkIn(data.resetUser);
  await assert.rejects(app.callerOf(tokens.access_token), { code: 'AUTH_TOKEN_REVOKED' });
  assert.equal((await app.refresh(tokens.refresh_token)).body.error, 'invalid_grant');
  assert.equal(await signInStatus('rae', PASSWORD), 400);
  assert.equal((await app.get(app.authorizeUrl({ code_challenge: pkce().challenge }), signedIn.jar)).status, 200);
  const { jar, page } = await opened(link);
  await app.clock.advance(3_600_001);
  assert.equal((await choose(page, jar)).status, 400);
});

test('who may not administer invites and resets nobody; what does not fit is named', async () => {
  const input = { username: 'eve', displayName: 'Eve', roles: ['viewer'] };
  assert.deepEqual((await graph(INVITE, { input }, people.viewer)).codes, ['PERM_SCOPE_DENIED']);
  assert.deepEqual((await graph(INVITE, { input: { ...input, username: 'ada' } })).codes, ['RES_ALREADY_EXISTS']);
  const reset = { id: app.people.vic, expectedVersion: 99 };
  assert.deepEqual((await graph(RESET, { input: reset })).codes, ['RES_VERSION_CONFLICT']);
  assert.deepEqual((await graph(RESET, { input: { ...reset, id: app.people.gil } })).codes, ['RES_NOT_FOUND']);
});

const SESSIONS = `query ($userId: ID, $first: Int, $after: Cursor) {
  sessions(userId: $userId, first: $first, after: $after) {
    edges { node { id methods userAgent address signedInAt expiresAt user { id username } } } pageInfo { hasNextPage endCursor }
  }
}`;
const REVOKE = 'mutation ($input: RevokeSessionInput!) { revokeSession(input: $input) }';

interface SessionNode {
  readonly id: string;
  readonly methods: readonly string[];
  readonly address: string;
  readonly user: { readonly username: string };
}

const nodesOf = (sessions: unknown): SessionNode[] => {
  const { edges }: { edges?: readonly { node: SessionNode }[] } = Object(sessions);
  return (edges ?? []).map(({ node }) => node);
};

const sessionsOf = async (as: Caller, variables: Record<string, unknown> = {}) =>
  nodesOf((await graph(SESSIONS, variables, as)).data.sessions);

/** A person as the edge would know them. */
const as = (id: string, scopes: readonly string[] = ['orch:read']): Caller => ({
  ...people.viewer,
  tenant: toTenantId('acme'),
  subject: id,
  scopes: new Set(scopes),
});

test('people see their own sessions, administrators everybody’s of their tenant', async () => {
  await app.signIn('ada');
  await app.signIn('vic');
  await app.signIn('gil');
  const { ada, vic } = app.people;
  assert.deepEqual([...new Set((await sessionsOf(as(vic))).map(({ user }) => user.username))], ['vic']);
  const all = await sessionsOf(as(ada, ['authority:admin']));
  assert.ok(all.some(({ user }) => user.username === 'vic') && all.some(({ user }) => user.username === 'ada'));
  assert.equal(
    all.some(({ user }) => user.username === 'gil'),
    false,
  );
  const [one] = await sessionsOf(as(ada, ['authority:admin']), { userId: vic });
  assert.deepEqual([one?.user.username, one?.methods, one?.address], ['vic', ['pwd'], '127.0.0.1']);
  assert.deepEqual((await graph(SESSIONS, { userId: ada }, as(vic))).codes, ['PERM_SCOPE_DENIED']);
});

test('an ended session signs its browser out at once, and only whoever may ends it', async () => {
  const { jar } = await app.signIn('vic');
  const [session] = await sessionsOf(as(app.people.vic));
  const input = { id: session?.id };
  const ask = () => app.get(app.authorizeUrl({ code_challenge: pkce().challenge }), jar);
  assert.equal((await ask()).status, 303);
  const ci = as('019bc0e2-0000-7000-8000-000000000001');
  assert.deepEqual((await graph(REVOKE, { input }, ci)).codes, ['RES_NOT_FOUND']);
  const other = { ...as(app.people.gil, ['authority:admin']), tenant: toTenantId('globex') };
  assert.deepEqual((await graph(REVOKE, { input }, other)).codes, ['RES_NOT_FOUND']);
  assert.equal((await graph(REVOKE, { input }, as(app.people.vic))).data.revokeSession, session?.id);
  assert.equal((await ask()).status, 200);
  assert.deepEqual((await graph(REVOKE, { input }, as(app.people.vic))).codes, ['RES_NOT_FOUND']);
});

test('a browser that signs in again leaves no session behind', async () => {
  const before = (await sessionsOf(as(app.people.vic))).length;
  const { jar } = await app.signIn('vic');
  await app.signIn('vic', { jar, prompt: 'login' });
  assert.equal((await sessionsOf(as(app.people.vic))).length, before + 1);
});

test('nothing above was a bug of ours', () => assert.deepEqual(app.bugs, []));
