import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';
import type { ClientSeed } from './bootstrap.ts';

const events = table('kernel.events', { type: text, actor: text });

const console: ClientSeed = {
  tenant: 'acme',
  name: 'console',
  secret: 's'.repeat(43),
  grants: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'orch:read'],
  redirectUris: ['http://127.0.0.1:4000/session/callback'],
};

const seeded = () => testApp({ createModule: makeAuthority });

const recordedEvents = async (app: Awaited<ReturnType<typeof seeded>>) =>
  (await app.rows(events, sql`select type, actor from kernel.events order by xid, id`)).map(({ type }) => type);

test('what is there already stays as it is, and says nothing', async () => {
  await using app = await seeded();
  const { bootstrap } = app.module;
  const user = { tenant: 'acme', username: 'ada', displayName: 'Ada', password: 'correct horse battery' } as const;
  const ids = [
    await bootstrap.ensureUser({ ...user, roles: ['admin'] }),
    await bootstrap.ensureUser({ ...user, password: 'another password', roles: [] }),
    await bootstrap.ensureClient(console),
    await bootstrap.ensureClient(console),
  ];
  await bootstrap.ensureTenant({ tenant: 'acme', name: 'acme' });
  assert.equal(ids[0], ids[1]);
  assert.equal(ids[2], ids[3]);
  assert.deepEqual(await recordedEvents(app), ['tenant.create', 'user.create', 'client.create']);
});

test('a client is brought to what is configured, and a new secret joins the one before', async () => {
  await using app = await seeded();
  const { bootstrap } = app.module;
  const id = await bootstrap.ensureClient(console);
  const moved = { ...console, redirectUris: ['http://127.0.0.1:4444/session/callback'], secret: 't'.repeat(43) };
  assert.equal(await bootstrap.ensureClient(moved), id);
  const { data } = await app.graph('{ clients { edges { node { redirectUris secretCount version } } } }');
  assert.deepEqual(JSON.parse(JSON.stringify(data?.clients)).edges[0].node, {
    redirectUris: moved.redirectUris,
    secretCount: 2,
    version: 2,
  });
});

test('processes that start at once make one of each', async () => {
  await using app = await seeded();
  const { bootstrap } = app.module;
  const user = { tenant: 'acme', username: 'ada', displayName: 'Ada', password: 'correct horse battery' } as const;
  const created = await Promise.all(
    Array.from({ length: 4 }, async () => [
      await bootstrap.ensureClient(console),
      await bootstrap.ensureUser({ ...user, roles: ['admin'] }),
    ]),
  );
  assert.equal(new Set(created.map(String)).size, 1);
  assert.deepEqual(await recordedEvents(app), ['tenant.create', 'client.create', 'user.create']);
});

test('a seed is held to the rules of the graph', async () => {
  await using app = await seeded();
  const { bootstrap } = app.module;
  const bad = { ...console, redirectUris: ['http://evil.example/'] };
  await assert.rejects(bootstrap.ensureClient(bad), { code: 'VAL_INVALID_FORMAT' });
  const weak = { tenant: 'acme', username: 'ada', displayName: 'Ada', password: 'short', roles: [] };
  await assert.rejects(bootstrap.ensureUser(weak), { code: 'VAL_TOO_SHORT' });
});
