import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, protocolRoute, type RouteRequest } from '@landfall/kernel/routes/route';
import { MODULES } from '@landfall/rest-compat/modules';
import Type from 'typebox';
import { openPolicies } from './open-policies.ts';

const SETTINGS = { authorityEnabled: false, anonymousTenant: 'shop' };

const route = protocolRoute({
  method: 'GET',
  path: '/greetings',
  module: 'greetings',
  summary: 'A test.',
  dialect: plain,
  schemas: { response: { 200: Type.Unknown() } },
  handle: async (request) => json(200, { scopes: [...(await request.caller()).scopes] }),
});

const request: RouteRequest = {
  target: '/greetings',
  params: {},
  query: {},
  body: undefined,
  headers: {},
  requestId: 'req-1',
  signal: new AbortController().signal,
  address: '',
  caller: async () => {
    throw new Fault('AUTH_TOKEN_MISSING', 'No token.');
  },
};

test('a module says which of its policies are open while the authority is disabled', async () => {
  const open = openPolicies(SETTINGS, [{ openPolicies: ['greetings:read'] }, {}]);
  const { body } = await open(route, ['greetings:read']).handle(request);
  assert.equal(body, '{"scopes":["greetings:read"]}');
  await assert.rejects(Promise.resolve(open(route, ['greetings:write']).handle(request)), {
    code: 'AUTH_TOKEN_MISSING',
  });
});

test('of the modules of the product only the scanner has open policies', () => {
  const named = MODULES.filter(({ openPolicies: scopes = [] }) => scopes.length > 0);
  assert.deepEqual(
    named.map(({ name, openPolicies: scopes }) => [name, scopes]),
    [['scanner', ['scanner.scans.read', 'scanner:read', 'scanner.scans.write', 'scanner:write']]],
  );
});
