import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Id, toTenantId } from '@landfall/kernel/core/ids';
import * as devices from '../authorization/device-codes.store.ts';
import { formatUserCode, newUserCode, userCodeOf } from '../authorization/user-codes.ts';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { DEVICE_GRANT, outcome, type TestClient, type TokenApp, tokenApp } from '../testing/tokens.ts';

let app: TokenApp;
let tv: TestClient;
let other: TestClient;
let ada: Id<'User'>;
const acme = toTenantId('acme');
const scopes = ['openid', 'offline_access', 'orch:read'] as const;

before(async () => {
  app = await tokenApp();
  const seed: Partial<ClientSeed> = { grants: ['device_code', 'refresh_token'], scopes: [...scopes] };
  tv = await app.client('tv', seed);
  other = await app.client('other-tv', seed);
  ada = await app.person('ada', ['admin']);
});
after(() => app[Symbol.asyncDispose]());

const begin = (as = tv) => app.module.deviceAuthorization(app.request({}, { as, path: '/device_authorization' }));
const poll = (deviceCode: string, as = tv) =>
  outcome(app.token({ grant_type: DEVICE_GRANT, device_code: deviceCode }, { as }));

const waiting = async (userCode: string) => {
  const found = await app.deps.database.system.read((query) =>
    devices.findByUserCode(query, userCodeOf(userCode) ?? ''),
  );
  assert.ok(found);
  return found;
};

const approve = async (userCode: string): Promise<boolean> => {
  const { id } = await waiting(userCode);
  const approval = { userId: ada, scopes, amr: ['pwd', 'otp'], authTime: app.clock.now() };
  return app.deps.database.write(acme, (tx) => devices.approve(tx, acme, id, approval));
};

test('a device is told what to show, in the fields of RFC 8628', async () => {
  const answer = await begin();
  assert.match(answer.device_code, /^[\w-]{43}$/);
  assert.match(answer.user_code, /^[BCDFGHJ-NP-TVWXZ]{4}-[BCDFGHJ-NP-TVWXZ]{4}$/);
  assert.equal(answer.verification_uri, 'http://127.0.0.1:4001/device');
  assert.equal(answer.verification_uri_complete, `http://127.0.0.1:4001/device?user_code=${answer.user_code}`);
  assert.deepEqual([answer.expires_in, answer.interval], [600, 5]);
});

test('a user code is read without case, dashes and blanks, and nothing else is one', () => {
  const code = newUserCode();
  for (const typed of [code, code.toLowerCase(), formatUserCode(code), ` ${code.slice(0, 2)} ${code.slice(2)} `])
    assert.equal(userCodeOf(typed), code);
  for (const typed of ['', 'AAAA-AAAA', `${code}B`, code.slice(1), 'é'.repeat(8), 'B'.repeat(10_000)])
    assert.equal(userCodeOf(typed), undefined);
});

// spec: 1/grants
test('a device waits, is told to slow down and remembers it, and gets its tokens once they are allowed', async () => {
  const { device_code: code, user_code: userCode } = await begin();
  assert.equal(await poll(code), 'authorization_pending');
  assert.equal(await poll(code), 'slow_down');
  await app.clock.advance(6_000);
  assert.equal(await poll(code), 'slow_down', 'ten seconds since the first slow_down, not five');
  await app.clock.advance(15_000);
  assert.equal(await poll(code), 'authorization_pending');
  assert.equal(await approve(userCode), true);
  assert.equal(await approve(userCode).catch(() => 'gone'), 'gone');
  const answer = await poll(code);
  assert.ok(typeof answer === 'object');
  assert.equal(answer.scope, scopes.join(' '));
  assert.ok(answer.refresh_token && answer.id_token);
});

test('a device code belongs to its client, is refused, and expires', async () => {
  const { device_code: code, user_code: userCode } = await begin();
  assert.equal(await poll(code, other), 'invalid_grant');
  assert.equal(await poll('unknown'), 'invalid_grant');
  const { id } = await waiting(userCode);
  assert.equal(await app.deps.database.write(acme, (tx) => devices.deny(tx, acme, id)), true);
  assert.equal(await poll(code), 'access_denied');
  const delayed = await begin();
  await app.clock.advance(600_000);
  assert.equal(await poll(delayed.device_code), 'expired_token');
});

test('of eight polls at once after the approval one wins, and what it won is worth nothing', async () => {
  const { device_code: code, user_code: userCode } = await begin();
  await approve(userCode);
  const answers = await Promise.all(Array.from({ length: 8 }, () => poll(code)));
  const won = answers.flatMap((answer) => (typeof answer === 'object' ? [answer] : []));
  assert.equal(won.length, 1);
  assert.ok(answers.every((answer) => typeof answer === 'object' || answer === 'invalid_grant'));
  assert.equal(await outcome(app.refresh(won[0]?.refresh_token, { as: tv })), 'invalid_grant');
  assert.ok((await app.events()).includes('deviceCode.reuse'));
});

test('a client that is not registered for it begins nothing; a foreign scope is refused', async () => {
  const plain = await app.client('plain');
  assert.equal(await outcome(begin(plain)), 'unauthorized_client');
  const form = app.request({ scope: 'authority:admin' }, { as: tv, path: '/device_authorization' });
  assert.equal(await outcome(app.module.deviceAuthorization(form)), 'invalid_scope');
});

test('a request of a client that serves every tenant goes to the tenant of whoever typed its code', async () => {
  const everywhere = await app.client('everywhere', {
    tenant: 'globex',
    grants: ['device_code'],
    scopes: [...scopes],
    servesEveryTenant: true,
  });
  const { device_code: code, user_code: userCode } = await begin(everywhere);
  const { id, tenant } = await waiting(userCode);
  assert.equal(tenant, 'globex');
  assert.equal(await app.deps.database.system.write((tx) => devices.adopt(tx, tenant, id, acme)), true);
  await approve(userCode);
  const answer = await poll(code, everywhere);
  assert.ok(typeof answer === 'object');
  assert.ok(answer.access_token);
});
