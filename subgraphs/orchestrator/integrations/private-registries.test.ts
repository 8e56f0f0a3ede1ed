import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { guarded } from '@landfall/kernel/egress';
import { createHttpClient } from '@landfall/kernel/http/client';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { catalogueApp, imageOf, refusal } from '../testing/catalogue.ts';

const OWN_PORT = 4003;
const http = createHttpClient({ egress: guarded({ ownPorts: new Set([OWN_PORT]), allowPrivate: false }) });
const app = await catalogueApp({}, { http });
after(async () => {
  await app[Symbol.asyncDispose]();
  await http.close();
});

const { integrations, releases } = app.module;
const operator = app.caller('operator');
const create = (name: string, baseUrl: string) => integrations.create(operator, { kind: 'registry', name, baseUrl });

test('a registry in a private network is asked once an integration names it, and not before', async () => {
  const { id, version } = await app.seed.draft();
  const finalize = () => releases.finalize(operator, { id, expectedVersion: version });
  await assert.rejects(finalize(), refusal('INT_CONNECTION_FAILED', { cause: 'refused-by-policy' }));
  assert.deepEqual(app.registry.requests, []);
  await create('Here', app.registry.origin);
  assert.equal((await finalize()).status, 'finalized');
});

test('a redirect of an integration leads into the private network only to another integration', async () => {
  await using storage = await startRegistry();
  storage.push('shop/redirected', imageOf('elsewhere'), '1');
  app.registry.push('shop/redirected', imageOf('elsewhere'), '1');
  using _fault = app.registry.fault({ kind: 'redirect', match: '/shop/redirected/', to: storage.origin });
  const components = [{ name: 'web', repository: app.registry.repository('shop/redirected'), tag: '1' }];
  const { id, version } = await app.seed.draft({ components });
  const finalize = () => releases.finalize(operator, { id, expectedVersion: version });
  await assert.rejects(finalize(), refusal('INT_CONNECTION_FAILED', { cause: 'refused-by-policy' }));
  assert.deepEqual(storage.requests, []);
  await create('Storage', storage.origin);
  assert.equal((await finalize()).status, 'finalized');
});

test('an integration is neither link-local nor a listener of our own', async () => {
  for (const baseUrl of [
    'https://169.254.169.254',
    'https://[fe80::1]',
    'https://0.0.0.0',
    `http://127.0.0.1:${OWN_PORT}`,
    `http://localhost:${OWN_PORT}`,
    `https://[::1]:${OWN_PORT}`,
  ])
    await assert.rejects(create('Refused', baseUrl), refusal('VAL_INVALID_VALUE'), baseUrl);
});
