// A real OpenID Connect provider on this machine, with pages of its own.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import Provider from 'oidc-provider';

export const PROVIDER_CLIENT = { id: 'landfall', secret: 'a-secret-of-the-provider-s-own-making' };

/** Identity provider that signs in any typed name, with one group. */
const providerAt = (issuer: string, redirectUri: string, group: string): RequestListener => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return new Provider(issuer, {
    clients: [
      {
        client_id: PROVIDER_CLIENT.id,
        client_secret: PROVIDER_CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], groups: ['groups'] },
    cookies: { keys: ['a key of this test'] },
    features: { devInteractions: { enabled: true } },
    findAccount: async (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, preferred_username: sub, name: 'Ines Okoro', groups: [group] }),
    }),
    jwks: { keys: [{ ...key, alg: 'ES256', use: 'sig' }] },
  }).callback();
};

export const startIdentityProvider = async (group: string) => {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  let handle = providerAt(issuer, 'http://127.0.0.1/none', group);
  return {
    issuer,
    /** Registers where people are sent back to. */
    allow(redirectUri: string): void {
      handle = providerAt(issuer, redirectUri, group);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
    },
  };
};
