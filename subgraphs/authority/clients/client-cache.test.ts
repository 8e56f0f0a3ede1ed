import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';
import { outcome } from '../testing/tokens.ts';
import { createClientCache } from './client-cache.ts';

const CREATE = 'mutation ($input: CreateClientInput!) { createClient(input: $input) { secret client { id version } } }';
const STOP = 'mutation ($input: DeactivateClientInput!) { deactivateClient(input: $input) { id } }';
const ROTATE =
  'mutation ($input: RotateClientSecretInput!) { rotateClientSecret(input: $input) { secret client { version } } }';

const created = async () => {
  const app = await testApp({ createModule: makeAuthority });
  const input = { name: 'ci', grants: ['CLIENT_CREDENTIALS'], scopes: ['orch:read'] };
  const { data } = await app.graph(CREATE, { input });
  const { secret, client } = JSON.parse(JSON.stringify(data?.createClient));
  const token = (input: string) =>
    outcome(
      app.module.token({
        authorization: undefined,
        body: { grant_type: 'client_credentials', client_id: client.id, client_secret: input },
        requestId: app.deps.ids.uuid(),
        ...{ dpop: undefined, certificate: undefined, path: '/token', address: '192.0.2.1' },
      }),
    );
  return { app, id: String(client.id), version: Number(client.version), secret: String(secret), token };
};

test('a client that was known a moment ago is stopped at once, and its token with it', async () => {
  const { app, id, version, secret, token } = await created();
  await using _app = app;
  assert.equal(typeof (await token(secret)), 'object');
  const { errors } = await app.graph(STOP, { input: { id, expectedVersion: version } });
  assert.equal(errors, undefined);
  assert.equal(await token(secret), 'invalid_client');
});

test('a new secret is good at once, and a wrong one is never let in by what is remembered', async () => {
  const { app, id, version, secret, token } = await created();
  await using _app = app;
  await token(secret);
  const { data } = await app.graph(ROTATE, { input: { id, expectedVersion: version } });
  const { secret: next } = JSON.parse(JSON.stringify(data?.rotateClientSecret));
  assert.equal(typeof (await token(next)), 'object');
  assert.equal(await token('wrong'), 'invalid_client');
});

test('what a read found that began before a change is not remembered', () => {
  let change = (): void => {};
  const known = createClientCache<string>({
    listen(_wake, recorded = () => {}) {
      change = recorded;
      return { [Symbol.dispose]: () => {} };
    },
  });
  const epoch = known.epoch();
  change();
  known.keep(epoch, 'a', 'old');
  assert.equal(known.recall('a'), undefined);
  known.keep(known.epoch(), 'a', 'new');
  assert.equal(known.recall('a'), 'new');
  change();
  assert.equal(known.recall('a'), undefined);
});
