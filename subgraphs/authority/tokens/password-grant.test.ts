import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import * as totp from '../factors/totp.store.ts';
import { claimsOf, outcome, PASSWORD, type TestClient, type TokenApp, tokenApp } from '../testing/tokens.ts';

let app: TokenApp;
let cli: TestClient;
let other: TestClient;

before(async () => {
  app = await tokenApp();
  const seed = {
    grants: ['password' as const, 'refresh_token' as const],
    scopes: ['openid' as const, 'orch:read' as const],
  };
  cli = await app.client('cli', seed);
  other = await app.client('other-cli', seed);
  await app.person('ada', ['viewer']);
  await app.person('gil', ['viewer'], 'globex');
});
after(() => app[Symbol.asyncDispose]());

const ask = (username: string, password: string, as = cli) =>
  app.token({ grant_type: 'password', username, password }, { as });

const refusal = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'answered',
    (error: unknown) => (error instanceof Fault ? [error.code, error.message, error.details] : error),
  );

test('a registered client gets tokens for a right pair', async () => {
  const answer = await ask('Ada ', PASSWORD);
  assert.equal(answer.scope, 'openid orch:read');
  assert.equal(claimsOf(answer.access_token)['svc:tenant'], 'acme');
  assert.deepEqual(claimsOf(answer.id_token ?? '').amr, ['pwd']);
  const plain = await app.client('plain');
  assert.equal(await outcome(ask('ada', PASSWORD, plain)), 'unauthorized_client');
});

test('a wrong password, an unknown name and a person of another tenant are told the same, to the letter', async () => {
  const events = [
    await refusal(ask('ada', 'wrong')),
    await refusal(ask('nobody', PASSWORD)),
    await refusal(ask('gil', PASSWORD)),
  ];
  assert.deepEqual(events[1], events[0]);
  assert.deepEqual(events[2], events[0]);
  assert.equal(JSON.stringify(events[0]).includes('invalid_grant'), true);
});

test('wrong guesses make that client wait, and no other', async () => {
  await app.person('eve', ['viewer']);
  for (let attempts = 0; attempts < 6; attempts++) await outcome(ask('eve', 'wrong'));
  const [code, , details] = [await refusal(ask('eve', PASSWORD))].flat();
  assert.equal(code, 'invalid_grant');
  assert.equal(typeof Reflect.get(Object(details), 'retryAfter'), 'number');
  assert.equal(typeof (await outcome(ask('eve', PASSWORD, other))), 'object');
  await app.clock.advance(3_600_000);
  assert.equal(typeof (await outcome(ask('eve', PASSWORD))), 'object');
});

test('a password is not enough where a second factor is on', async () => {
  const id = await app.person('two', ['viewer']);
  const acme = toTenantId('acme');
  await app.deps.database.write(acme, async (tx) => {
    await totp.begin(tx, acme, id, Buffer.alloc(32));
    await totp.confirm(tx, acme, id, 1);
  });
  assert.deepEqual(await refusal(ask('two', PASSWORD)), await refusal(ask('nobody2', PASSWORD)));
});
