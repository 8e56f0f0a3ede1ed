import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { createRegistryClient } from '@landfall/kernel/oci/registry-client';
import { openEgress } from '@landfall/kernel/system/egress';
import { startFaultProxy, surviveFaults } from '@landfall/kernel/testing/fault-proxy';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { startMetricsServer, vector } from '../../testing/metrics-server.ts';
import { startVault } from '../secrets/vault.fixture.ts';
import { createVault } from '../secrets/vault.ts';
import { createPrometheus } from './prometheus.ts';

const http = createHttpClient({ egress: openEgress });
after(() => http.close());

const owner = { tenant: toTenantId('acme'), correlationId: 'test' };

/** Checks that a client returned an answer or a fault of integrations, never another error. */
const isGood = (answer: unknown): boolean => {
  if (!(answer instanceof Fault)) return true;
  assert.match(answer.code, /^INT_(TIMEOUT|CONNECTION_FAILED|INVALID_RESPONSE)$/);
  return false;
};

const proxyOf = (origin: string) => {
  const { hostname, port } = new URL(origin);
  return startFaultProxy({ host: hostname, port: Number(port) });
};

test('a registry behind a network that fails in every way is answered for in time', { timeout: 300_000 }, async () => {
  await using registry = await startRegistry();
  registry.push('web', buildImage({ layers: [[{ path: 'app', content: 'hello' }]] }), '1');
  await using proxy = await proxyOf(registry.origin);
  const host = `${proxy.host}:${proxy.port}`;
  const client = createRegistryClient(http);
  const ask = async () => isGood(await client.manifest({ ...owner, host, origin: `http://${host}` }, 'web', '1'));
  assert.deepEqual(await surviveFaults(proxy, ask, { answerMs: 21_000, returnMs: 21_000 }), []);
});

test('a vault behind a network that fails in every way is answered for in time', { timeout: 120_000 }, async () => {
  const token = 'hvs.token';
  await using vault = await startVault({ token });
  vault.put('shop/db', { password: 'correct horse' });
  await using proxy = await proxyOf(vault.address);
  const client = createVault(http);
  const access = { ...owner, address: `http://${proxy.host}:${proxy.port}`, mount: 'secret', token };
  const ask = async () => isGood(await client.read(access, 'shop/db'));
  assert.deepEqual(await surviveFaults(proxy, ask, { answerMs: 4_000, returnMs: 4_000 }), []);
});

test('Prometheus behind a network that fails in every way is answered for in time', { timeout: 120_000 }, async () => {
  await using server = await startMetricsServer();
  server.answers(200, vector('1'));
  await using proxy = await proxyOf(server.origin);
  const client = createPrometheus(http);
  const access = { ...owner, baseUrl: `http://${proxy.host}:${proxy.port}`, credentials: undefined };
  const ask = async () => isGood(await client.query(access, 'up'));
  assert.deepEqual(await surviveFaults(proxy, ask, { answerMs: 6_000, returnMs: 6_000 }), []);
});
