// oidc-provider with the same client, the same scopes and access tokens that are JWTs signed by ES256; its own adapter,
// which keeps everything in memory. node peer-oidc-provider.ts <settings as JSON>; prints its address.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const { clientId, secret, scope } = Parse(
  Type.Object({ clientId: Type.String(), secret: Type.String(), scope: Type.String() }),
  JSON.parse(process.argv[2] ?? ''),
);
const LIFE_SECONDS = 900;
const RESOURCE = 'urn:landfall';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = { ...privateKey.export({ format: 'jwk' }), kty: 'EC', use: 'sig', alg: 'ES256' };

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

const provider = new Provider(origin, {
  clients: [
    {
      client_id: clientId,
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
      scope,
    },
  ],
  scopes: scope.split(' '),
  jwks: { keys: [jwk] },
  ttl: { ClientCredentials: LIFE_SECONDS },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => RESOURCE,
      getResourceServerInfo: () => ({
        scope,
        audience: 'landfall',
        accessTokenTTL: LIFE_SECONDS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
server.on('request', provider.callback());

process.stdout.write(`${origin}\n`);
process.once('SIGTERM', () => process.exit(0));
