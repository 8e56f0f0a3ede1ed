import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import pg from 'pg';
import { landfall } from './cli-process.fixture.ts';

const PASSWORD = 'a harbour at first light';

const installation = async () => {
  const cloned = await testDatabase();
  const env = {
    DATABASE_URL: cloned.url,
    LANDFALL_SECRET_KEY: randomBytes(32).toString('base64'),
    LANDFALL_AUTH_URL: 'https://id.acme.example/',
  };
  return {
    create: (args: readonly string[], input?: string) =>
      landfall(['admin', 'create', ...args], { env, ...(input !== undefined && { input }) }),
    tenant: (...args: readonly string[]) => landfall(['tenant', ...args], { env }),
    async rows(text: string): Promise<unknown[]> {
      const client = new pg.Client(cloned.connection);
      await client.connect();
      const { rows } = await client.query({ text, rowMode: 'array' }).finally(() => client.end());
      return rows.flat();
    },
    [Symbol.asyncDispose]: () => cloned.drop(),
  };
};

test('the first administrator gets a link on the public address of the authority, printed once', async () => {
  await using home = await installation();
  const { code, out, err } = await home.create(['acme/ana', '--name', 'Ana Lind']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^ana is the first administrator of acme\.\nChoose a password, once, until 20\d\d-.*:\n/);
  assert.match(out, /\nhttps:\/\/id\.acme\.example\/account-link\?token=[\w-]{40,}\n$/);
  assert.deepEqual(
    await home.rows(
      "select concat_ws(' ', username, display_name, roles::text, password_hash is null) from authority.users",
    ),
    ['ana Ana Lind {admin} t'],
  );
  assert.deepEqual(await home.rows('select purpose from authority.account_links'), ['invitation']);
});

test('with --password-stdin the password is the first line of standard input and nothing secret is printed', async () => {
  await using home = await installation();
  const { code, out } = await home.create(['acme/ana', '--password-stdin'], `${PASSWORD}\nrest`);
  assert.deepEqual([code, out], [0, 'ana is the first administrator of acme.\n']);
  assert.deepEqual(await home.rows('select password_hash is not null from authority.users'), [true]);
  assert.deepEqual(await home.rows('select count(*)::integer from authority.account_links'), [0]);
});

test('a tenant that has anybody is left as it is, also by several commands at once', async () => {
  await using home = await installation();
  const results = await Promise.all(['ana', 'ben', 'cleo'].map((name) => home.create([`acme/${name}`])));
  assert.deepEqual(results.map(({ code }) => code).sort(), [0, 1, 1]);
  assert.deepEqual(await home.rows('select count(*)::integer from authority.users'), [1]);
  const repeated = await home.create(['acme/dora']);
  assert.match(repeated.out, /^The tenant acme has people already; nothing was changed\./);
});

const linkIn = (out: string): string => /token=([\w-]{40,})\n$/.exec(out)?.[1] ?? '';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

test('an administrator whose link was lost or has expired gets another, and the one before ends', async () => {
  await using home = await installation();
  const lost = await home.create(['acme/ana']);
  const repeated = await home.create(['acme/ana']);
  assert.deepEqual([repeated.code, repeated.err], [0, '']);
  assert.match(repeated.out, /^ana of acme is let in again\.\nChoose a password, once, until 20\d\d-.*:\n/);
  assert.notEqual(linkIn(repeated.out), linkIn(lost.out));
  const links = "select encode(hash, 'hex') from authority.account_links";
  assert.deepEqual(await home.rows(links), [hashOf(linkIn(repeated.out))]);
  await home.rows("update authority.account_links set expires_at = kernel.now() - interval '1 day'");
  const delayed = await home.create(['acme/ana', '--password-stdin'], `${PASSWORD}\n`);
  assert.deepEqual([delayed.code, delayed.out], [0, 'ana of acme is let in again.\n']);
  assert.deepEqual(await home.rows('select password_hash is not null from authority.users'), [true]);
  assert.deepEqual(await home.rows(links), []);
  assert.deepEqual(await home.rows("select type from kernel.events where entity = 'User' order by xid, id"), [
    'user.create',
    'user.reset',
    'user.reset',
  ]);
});

test('an administrator who can sign in is let in anew with --again alone; nobody else ever is', async () => {
  await using home = await installation();
  await home.create(['acme/ana', '--password-stdin'], `${PASSWORD}\n`);
  const [before] = await home.rows('select password_hash from authority.users');
  const printed = await home.create(['acme/ana']);
  assert.equal(printed.code, 1);
  assert.match(printed.out, /ana can sign in; nothing was changed\. With --again/);
  assert.deepEqual(await home.rows('select password_hash from authority.users'), [before]);
  const again = await home.create(['acme/ana', '--again']);
  assert.equal(again.code, 0);
  assert.deepEqual(await home.rows('select password_hash from authority.users'), [null]);
  assert.deepEqual(await home.rows('select purpose from authority.account_links'), ['reset']);
  await home.rows("update authority.users set roles = '{viewer}'");
  const viewer = await home.create(['acme/ana', '--again']);
  assert.deepEqual([viewer.code, /is no administrator of acme/.test(viewer.out)], [1, true]);
  await home.rows("update authority.users set roles = '{admin}', active = false");
  const removed = await home.create(['acme/ana', '--again']);
  assert.deepEqual([removed.code, /is deactivated/.test(removed.out)], [1, true]);
  assert.equal((await home.create(['acme/ben', '--again'])).code, 1);
});

test('a tenant that the operator has set up keeps its name', async () => {
  await using home = await installation();
  await home.tenant('set', 'acme', '--name', 'Acme Ltd');
  assert.equal((await home.create(['acme/ana'])).code, 0);
  assert.deepEqual(await home.rows('select name from authority.tenants'), ['Acme Ltd']);
});

test('what cannot be a user name, a target or a password is refused and makes nothing', async () => {
  await using home = await installation();
  const refused = [
    await home.create(['ana']),
    await home.create(['acme/A na']),
    await home.create(['acme/ana', '--password-stdin'], 'short\n'),
    await home.create(['acme/ana', '--password-stdin'], ''),
  ];
  assert.deepEqual(
    refused.map(({ code }) => code),
    [2, 2, 2, 2],
  );
  assert.match(refused[0]?.err ?? '', /'ana' is not <tenant>\/<user name>/);
  assert.deepEqual(await home.rows('select username from authority.users'), []);
});
