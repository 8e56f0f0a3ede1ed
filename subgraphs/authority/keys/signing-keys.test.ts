import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { type TestClient, type TokenApp, tokenApp } from '../testing/tokens.ts';
import { createKeys } from './keys.ts';

const LIST = '{ signingKeys { id state algorithm since } }';
const ROTATE = 'mutation ($input: RotateSigningKeyInput!) { rotateSigningKey(input: $input) { id state } }';

let app: TokenApp;
let ci: TestClient;
let auditor: TestClient;

before(async () => {
  app = await tokenApp();
  ci = await app.client('ci');
  auditor = await app.client('auditor', { canIntrospect: true });
});
after(() => app[Symbol.asyncDispose]());

interface Key {
  readonly id: string;
  readonly state: string;
}

const keys = async (): Promise<Key[]> => JSON.parse(JSON.stringify((await app.graph(LIST)).data?.signingKeys));
const idOf = (ring: readonly Key[], state: string): string => ring.find((key) => key.state === state)?.id ?? '';
const rotate = (expectedCurrent: string) => app.graph(ROTATE, { input: { expectedCurrent } });

test('the ring is shown to administrators only, public halves only', async () => {
  const ring = await keys();
  assert.deepEqual(ring.map(({ state }) => state).toSorted(), ['CURRENT', 'NEXT']);
  assert.deepEqual(Object.keys(ring[0] ?? {}), ['id', 'state', 'algorithm', 'since']);
  for (const as of ['viewer', 'nobody'] as const)
    assert.equal((await app.graph(LIST, {}, { as })).errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
});

test('a next key that verifiers may not have yet does not sign', async () => {
  const { errors } = await rotate(idOf(await keys(), 'CURRENT'));
  assert.equal(errors?.[0]?.extensions?.code, 'RES_CONFLICT');
});

test('after an hour the next key signs, old tokens stay good, and two who ask at once rotate once', async () => {
  await app.clock.advance(3_600_000 - 1);
  assert.equal((await rotate(idOf(await keys(), 'CURRENT'))).errors?.[0]?.extensions?.code, 'RES_CONFLICT');
  const { access_token: old } = await app.token({ grant_type: 'client_credentials' }, { as: ci });
  await app.clock.advance(1);
  const before = await keys();
  const answers = await Promise.all([1, 2].map(() => rotate(idOf(before, 'CURRENT'))));
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions?.code).toSorted();
  assert.deepEqual(codes, ['RES_VERSION_CONFLICT', undefined]);
  const ring = await keys();
  assert.equal(idOf(ring, 'CURRENT'), idOf(before, 'NEXT'));
  assert.equal(idOf(ring, 'RETIRED'), idOf(before, 'CURRENT'));
  const { access_token: young } = await app.token({ grant_type: 'client_credentials' }, { as: ci });
  const header: unknown = JSON.parse(Buffer.from(young.split('.')[0] ?? '', 'base64url').toString());
  assert.deepEqual(header, { alg: 'ES256', typ: 'at+jwt', kid: idOf(ring, 'CURRENT') });
  for (const token of [old, young]) assert.equal((await app.introspect(token, auditor)).active, true);
  assert.equal((await app.events()).filter((type) => type === 'signingKey.rotate').length, 1);
});

test('a process that dies between the turn of the ring and its answer leaves the event of it', async () => {
  await app.clock.advance(3_600_000);
  const before = await keys();
  const events = async () => (await app.events()).filter((type) => type === 'signingKey.rotate').length;
  const earlier = await events();
  const crash = () => {
    throw new Error('cut off');
  };
  {
    using _dead = arm('authority.keys.rotated', crash);
    assert.ok((await rotate(idOf(before, 'CURRENT'))).errors);
  }
  assert.equal(idOf(await keys(), 'CURRENT'), idOf(before, 'NEXT'));
  assert.equal(await events(), earlier + 1);
});

test('a turn of the ring whose event is refused does not take place', async () => {
  const ring = createKeys(app.deps);
  const before = await ring.list();
  await assert.rejects(
    ring.rotate(undefined, () => Promise.reject(new Error('revoked'))),
    /revoked/,
  );
  assert.deepEqual(await ring.list(), before);
});
