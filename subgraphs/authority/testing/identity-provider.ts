import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';

/** Person at the provider. */
interface Account {
  readonly sub: string;
  readonly preferred_username?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[] | string;
}

export const CLIENT = { id: 'landfall', secret: 'a-secret-of-the-provider-s-own-making' };

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const signingKey = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  alg: 'ES256',
  use: 'sig',
});

/** Grants every requested scope, since these tests are about the relying party. */
const grantOf = async (provider: Provider, clientId: string, accountId: string) => {
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope('openid profile email groups');
  await grant.save();
  return grant;
};

interface Options {
  readonly redirectUris: readonly string[];
  readonly account: () => Account;
  /** Whether claims are returned by userinfo only. */
  readonly isTerse: boolean;
}

const providerAt = (issuer: string, { redirectUris, account, isTerse }: Options): Handle => {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    conformIdTokenClaims: isTerse,
    jwks: { keys: [signingKey()] },
    cookies: { keys: ['a key of this test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: async (_context, sub) => ({ accountId: sub, claims: async () => ({ ...account(), sub }) }),
    interactions: { url: async () => '/interaction' },
    loadExistingGrant: async ({ oidc }) =>
      oidc.client && oidc.session?.accountId
        ? grantOf(provider, oidc.client.clientId, oidc.session.accountId)
        : undefined,
  });
  const handle = provider.callback();
  return (request, response) => {
    if (request.url !== '/interaction') return void handle(request, response);
    provider
      .interactionFinished(request, response, { login: { accountId: account().sub, remember: false } })
      .catch(() => {
        response.writeHead(500).end();
      });
  };
};

/** Starts a real OpenID Connect provider on a socket of its own. Every visitor is signed in as `account`. */
export const identityProvider = async ({ isTerse = false }: { readonly isTerse?: boolean } = {}) => {
  let handle: Handle = (_request, response) => void response.writeHead(503).end();
  let account: Account = { sub: 'nobody' };
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A test that fails may leave it running.
  server.unref();
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const serve = (redirectUris: readonly string[]): void => {
    handle = providerAt(issuer, { redirectUris, account: () => account, isTerse });
  };
  serve(['http://127.0.0.1/none']);
  return {
    issuer,
    /** Registers where people are sent back to. */
    allow: (redirectUri: string) => serve([redirectUri]),
    signInAs(next: Account): void {
      account = next;
    },
    /** Answers nothing that is of any use from here on. */
    fail(): void {
      handle = (_request, response) => void response.writeHead(500).end('no');
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type IdentityProvider = Awaited<ReturnType<typeof identityProvider>>;
