import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { type Bound, createEnvelopes } from './envelope.ts';

const clock = fixedClock();
const root = Buffer.alloc(32, 1);
const secrets = createSecrets([root]);
const envelopes = (role: string, from = secrets) => createEnvelopes({ secrets: from, clock, role });
const edge = envelopes('edge');
const module = envelopes('module:orchestrator');

const caller: Caller = {
  tenant: toTenantId('acme'),
  subject: 'user-1',
  clientId: 'console',
  scopes: new Set(['release:read', 'orch:operate']),
  kind: 'user',
  correlationId: 'c-1',
  assertedTenants: ['globex'],
  tokenId: 'jti-1',
};
const request: Bound = { method: 'POST', path: '/graphql?x=1', body: '{"query":"{a}"}' };
const invalid = { code: 'AUTH_TOKEN_INVALID' };

test('a caller arrives as it was sent, with and without a tenant', () => {
  assert.deepEqual(module.open(edge.seal(caller, 'module:orchestrator', request), request), caller);
  const { tenant: _tenant, tokenId: _tokenId, ...plain } = caller;
  const bodiless = { method: 'GET', path: '/' };
  assert.deepEqual(module.open(edge.seal(plain, 'module:orchestrator', bodiless), bodiless), plain);
  const exchanged = { ...caller, earlierHolders: ['portal', 'user-2'] };
  assert.deepEqual(module.open(edge.seal(exchanged, 'module:orchestrator', request), request), exchanged);
  const claimed = { ...plain, claimedTenant: toTenantId('globex') };
  assert.deepEqual(module.open(edge.seal(claimed, 'module:orchestrator', bodiless), bodiless), claimed);
});

test('an envelope is good for one method, path and body', () => {
  const sealed = edge.seal(caller, 'module:orchestrator', request);
  for (const other of [{ method: 'PUT' }, { path: '/graphql' }, { body: '{"query":"{b}"}' }, { body: undefined }])
    assert.throws(() => module.open(sealed, { ...request, ...other }), invalid);
});

test('an envelope is good for one role, from the role that sealed it', () => {
  const sealed = edge.seal(caller, 'module:orchestrator', request);
  assert.throws(() => envelopes('module:authority').open(sealed, request), invalid);
  const [content = '', mac = ''] = sealed.split('.');
  const claims = JSON.parse(Buffer.from(content, 'base64url').toString());
  for (const forged of [{ from: 'module:authority' }, { subject: 'root' }, { kind: 'system' }, { tenant: 'globex' }]) {
    const altered = Buffer.from(JSON.stringify({ ...claims, ...forged })).toString('base64url');
    assert.throws(() => module.open(`${altered}.${mac}`, request), invalid, JSON.stringify(forged));
  }
});

test('an envelope lasts 30 seconds and may come from a clock that is a little ahead', () => {
  const sealed = edge.seal(caller, 'module:orchestrator', request);
  clock.advance(30_000);
  module.open(sealed, request);
  clock.advance(1);
  assert.throws(() => module.open(sealed, request), invalid);
  const ahead = edge.seal(caller, 'module:orchestrator', request);
  clock.advance(-5_000);
  module.open(ahead, request);
  clock.advance(-1);
  assert.throws(() => module.open(ahead, request), invalid);
});

test('without an envelope the request is unauthenticated; noise is invalid', () => {
  assert.throws(() => module.open(undefined, request), { code: 'AUTH_TOKEN_MISSING' });
  for (const noise of ['', '.', 'x', 'e30.', 'bnVsbA.x', 'a.b.c'])
    assert.throws(() => module.open(noise, request), invalid, noise);
});

test('during a rotation the old key is still good, and an unknown one is not', () => {
  const rotated = envelopes('module:orchestrator', createSecrets([Buffer.alloc(32, 2), root]));
  assert.deepEqual(rotated.open(edge.seal(caller, 'module:orchestrator', request), request), caller);
  const unrelated = envelopes('edge', createSecrets([Buffer.alloc(32, 3)]));
  assert.throws(() => module.open(unrelated.seal(caller, 'module:orchestrator', request), request), invalid);
});
