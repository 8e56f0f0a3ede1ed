import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { bytes, text } from '@landfall/kernel/db/columns';
import { createDatabase } from '@landfall/kernel/db/database';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testDeps } from '@landfall/kernel/testing/app';
import { createSessions, isCsrfGood, type SessionsOptions, type Tokens } from './session.ts';

const hour = 3_600_000;
const caller = { tenant: 'acme', subject: 'user-1' };

const setUp = async (overrides: Partial<SessionsOptions> = {}) => {
  const base = await testDeps();
  const { database, secrets, clock } = base.deps;
  const tokens = (name: string, forMs = hour): Tokens => ({
    accessToken: `access-${name}`,
    accessExpiresAt: clock.now().getTime() + forMs,
    refreshToken: `refresh-${name}`,
    name: 'Ada',
  });
  const consumed: (string | undefined)[] = [];
  const options: SessionsOptions = {
    database,
    secrets,
    clock,
    sessionMs: 24 * hour,
    sessionIdleMs: 8 * hour,
    async refresh({ refreshToken }) {
      consumed.push(refreshToken);
      return tokens('next');
    },
    ...overrides,
  };
  return { ...base, sessions: createSessions(options), options, tokens, spent: consumed };
};

test('a session is found by its id, and its row holds neither the id, the CSRF token nor a token', async () => {
  await using app = await setUp();
  const started = await app.sessions.start(caller, app.tokens('one'));
  assert.deepEqual(await app.sessions.find(started.id), started);
  assert.equal(await app.sessions.find('x'.repeat(43)), undefined);

  const shape = table('sessions', { row: text, sealed: bytes });
  const read = sql`/* test.sessions */ select sessions::text as row, sealed from kernel.sessions`;
  const { row, sealed } = await app.deps.database.system.read((query) => query.get(shape, read));
  for (const secret of [started.id, started.csrf, 'access-one', 'refresh-one'])
    assert.equal(row.includes(secret) || sealed.includes(secret), false, secret);
});

test("only the session's own CSRF token is good", async () => {
  await using app = await setUp();
  const [one, two] = [
    await app.sessions.start(caller, app.tokens('1')),
    await app.sessions.start(caller, app.tokens('2')),
  ];
  assert.equal(isCsrfGood(one, one.csrf), true);
  for (const bad of [undefined, '', two.csrf, one.id]) assert.equal(isCsrfGood(one, bad), false);
});

test('a session ends by age and by lying unused', async () => {
  await using app = await setUp();
  const { id } = await app.sessions.start(caller, app.tokens('one', 48 * hour));
  for (const _ of [1, 2, 3]) {
    await app.clock.advance(7 * hour);
    assert.ok(await app.sessions.find(id));
  }
  await app.clock.advance(3 * hour);
  assert.equal(await app.sessions.find(id), undefined, 'older than 24 hours');
  assert.equal(await app.sessions.prune(), 1);

  const idle = await app.sessions.start(caller, app.tokens('two', 48 * hour));
  await app.clock.advance(8 * hour);
  assert.equal(await app.sessions.find(idle.id), undefined, 'unused for 8 hours');
});

test('a token that is about to expire is refreshed once, however many ask', async () => {
  await using app = await setUp();
  const { id } = await app.sessions.start(caller, app.tokens('one', 30_000));
  const found = await Promise.all(Array.from({ length: 8 }, () => app.sessions.find(id)));
  assert.deepEqual(app.spent, ['refresh-one']);
  assert.ok(found.some((session) => session?.tokens.accessToken === 'access-next'));
  assert.equal((await app.sessions.find(id))?.tokens.accessToken, 'access-next');
});

test('two processes spend a refresh token once between them', async () => {
  await using app = await setUp();
  const database = createDatabase({ connection: app.connection, max: 2 });
  const other = createSessions({ ...app.options, database });
  const { id } = await app.sessions.start(caller, app.tokens('one', -1));
  const found = await Promise.all([app.sessions.find(id), other.find(id), app.sessions.find(id), other.find(id)]);
  await database.close();
  assert.deepEqual(app.spent, ['refresh-one']);
  for (const session of found) assert.equal(session?.tokens.accessToken, 'access-next');
});

test('a refusal of the authority ends the session', async () => {
  await using app = await setUp({ refresh: async () => undefined });
  const { id } = await app.sessions.start(caller, app.tokens('one', 30_000));
  assert.equal(await app.sessions.find(id), undefined);
  assert.equal(await app.sessions.end(id), undefined);
});

// spec: 7.2/SYS_SERVICE_UNAVAILABLE
test('an authority that cannot be asked ends nothing while the token lasts, and is our failure afterwards', async () => {
  await using app = await setUp({ refresh: () => Promise.reject(new Error('down')) });
  const { id } = await app.sessions.start(caller, app.tokens('one', 30_000));
  assert.equal((await app.sessions.find(id))?.tokens.accessToken, 'access-one');
  await app.clock.advance(30_000);
  await assert.rejects(app.sessions.find(id), { code: 'SYS_SERVICE_UNAVAILABLE' });
  await assert.rejects(app.sessions.find(id), { code: 'SYS_SERVICE_UNAVAILABLE' });
});

test('looking at a session refreshes nothing and is no use of it', async () => {
  await using app = await setUp();
  const { id } = await app.sessions.start(caller, app.tokens('one', -1));
  await app.clock.advance(5 * hour);
  assert.equal((await app.sessions.peek(id))?.tokens.accessToken, 'access-one');
  assert.deepEqual(app.spent, []);
  await app.clock.advance(4 * hour);
  assert.equal(await app.sessions.peek(id), undefined, 'unused for 8 hours');
});

test('a session can be ended while its token has expired and the authority is down', async () => {
  await using app = await setUp({ refresh: () => Promise.reject(new Error('down')) });
  const { id, csrf } = await app.sessions.start(caller, app.tokens('one', -1));
  await assert.rejects(app.sessions.find(id), { code: 'SYS_SERVICE_UNAVAILABLE' });
  const session = await app.sessions.peek(id);
  assert.equal(session && isCsrfGood(session, csrf), true);
  assert.equal((await app.sessions.end(id))?.refreshToken, 'refresh-one');
  assert.equal(await app.sessions.peek(id), undefined);
});

test('ending a session hands back its tokens and leaves nothing', async () => {
  await using app = await setUp();
  const { id, tokens } = await app.sessions.start(caller, app.tokens('one'));
  assert.deepEqual(await app.sessions.end(id), tokens);
  assert.equal(await app.sessions.find(id), undefined);
  assert.equal(await app.sessions.end(id), undefined);
});

test('a session outlives the rotation of the root key', async () => {
  const root = Buffer.alloc(32, 7);
  await using app = await setUp({ secrets: createSecrets([root]) });
  const started = await app.sessions.start(caller, app.tokens('one'));
  const rotated = createSessions({ ...app.options, secrets: createSecrets([Buffer.alloc(32, 8), root]) });
  assert.deepEqual(await rotated.find(started.id), started);
});
