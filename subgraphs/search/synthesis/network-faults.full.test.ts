import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { startFaultProxy, surviveFaults } from '@landfall/kernel/testing/fault-proxy';
import { answering, modelServer } from '../testing/model-server.ts';
import { createModel } from './model.ts';

test('a model behind a network that fails in every way is answered for in time', { timeout: 120_000 }, async () => {
  const http = createHttpClient({ egress: openEgress });
  await using server = await modelServer(answering('It is in production.'));
  const { hostname, port } = new URL(server.url);
  await using proxy = await startFaultProxy({ host: hostname, port: Number(port) });
  const model = createModel(http, { url: `http://${proxy.host}:${proxy.port}/v1`, model: 'm', key: undefined });
  const ask = async (): Promise<boolean> => {
    const request = {
      messages: [],
      tenant: toTenantId('acme'),
      correlationId: 'test',
      timeoutMs: 4_000,
      signal: new AbortController().signal,
    };
    const { end } = await model.ask(request, () => {});
    assert.ok(end === 'completed' || end === 'timeout' || end === 'unavailable', end);
    return end === 'completed';
  };
  assert.deepEqual(await surviveFaults(proxy, ask, { answerMs: 5_000, returnMs: 5_000 }), []);
  await http.close();
});
