import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { randomIds, toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { startFaultProxy, surviveFaults } from '@landfall/kernel/testing/fault-proxy';
import { connect, ProviderUnavailable } from './provider-client.ts';

test('an identity provider behind a network that fails in every way is answered for in time', {
  timeout: 240_000,
}, async () => {
  const http = createHttpClient({ egress: openEgress });
  const documents = { issuer: '' };
  const server = createServer((_request, response) => {
    const { issuer } = documents;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address);
  await using proxy = await startFaultProxy({ host: '127.0.0.1', port: address.port });
  documents.issuer = `http://${proxy.host}:${proxy.port}`;
  const access = { tenant: toTenantId('acme'), issuer: documents.issuer, clientId: 'landfall', clientSecret: 'secret' };
  const ask = async (): Promise<boolean> => {
    try {
      await connect({ http, ids: randomIds }, access);
      return true;
    } catch (error) {
      if (error instanceof ProviderUnavailable) return false;
      const isOfTheLibrary = error instanceof Error && error.cause instanceof ProviderUnavailable;
      if (!isOfTheLibrary) throw error;
      return false;
    }
  };
  assert.deepEqual(await surviveFaults(proxy, ask, { answerMs: 16_000, returnMs: 16_000 }), []);
  await http.close();
  server.closeAllConnections();
  server.close();
});
