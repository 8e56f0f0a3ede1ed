import { createHash, randomBytes } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import { type Id, toId, toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import { type ProofKeyPair, proofBy } from '@landfall/kernel/testing/dpop';
import * as clients from '../clients/clients.store.ts';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import { type Code, insert as insertCode } from '../tokens/codes.store.ts';
import type { TokenAnswer } from '../tokens/issuer.ts';
import { makeAuthority, settings } from './authority.ts';

/** Claims of a token, unverified. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

export interface TestClient {
  readonly id: Id<'Client'>;
  readonly secret: string;
}

export const PASSWORD = 'correct horse battery staple';
const VERIFIER = 'v'.repeat(43);
export const CALLBACK = 'https://app.example/callback';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

type Form = Readonly<Record<string, string | readonly string[]>>;

/** Parts of a request beside its form. */
export interface RequestParts extends Partial<Omit<ProtocolRequest, 'body'>> {
  readonly as?: TestClient;
}

/** Result of a request: its answer, or the fault's code. */
export const outcome = async <T>(answer: Promise<T>): Promise<T | string> =>
  answer.catch((error: unknown) => {
    if (error instanceof Fault) return error.code;
    throw error;
  });

const types = table('kernel.events', { type: text });

/** The authority without its listener, with people and clients of two tenants. */
export const tokenApp = async () => {
  const base = await testApp({ createModule: makeAuthority });
  const { module, deps } = base;
  const { bootstrap } = module;

  const client = async (
    name: string,
    seed: Partial<ClientSeed> = {},
    extra: Partial<clients.Registration> = {},
  ): Promise<TestClient> => {
    const secret = randomBytes(32).toString('base64url');
    const client = { tenant: 'acme', name, secret, grants: ['client_credentials'], scopes: ['orch:read'] } as const;
    const complete: ClientSeed = { ...client, grants: [...client.grants], scopes: [...client.scopes], ...seed };
    const id = toId(await bootstrap.ensureClient(complete), 'Client');
    const tenant = toTenantId(complete.tenant);
    await deps.database.write(tenant, async (tx) => {
      await clients.update(tx, tenant, id, extra);
    });
    return { id, secret };
  };

  const person = async (username: string, roles: ('admin' | 'viewer' | 'approver')[], tenant = 'acme') =>
    toId(await bootstrap.ensureUser({ tenant, username, displayName: username, password: PASSWORD, roles }), 'User');

  const request = (body: Form, { as, ...requestParts }: RequestParts = {}): ProtocolRequest => ({
    authorization: as && `Basic ${Buffer.from(`${as.id}:${as.secret}`).toString('base64')}`,
    body,
    requestId: deps.ids.uuid(),
    dpop: undefined,
    certificate: undefined,
    path: '/token',
    address: '192.0.2.1',
    ...requestParts,
  });

  const token = (form: Form, requestParts?: RequestParts): Promise<TokenAnswer> =>
    module.token(request(form, requestParts));

  /** A code as the sign-in page makes it, for `userId` at `of`. */
  const code = async (
    of: TestClient,
    userId: Id<'User'>,
    overrides: Partial<Omit<Code, 'tenant'>> = {},
  ): Promise<string> => {
    const { value, hash } = newOpaqueSecret();
    const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
    const scopes = ['openid', 'offline_access', 'orch:read'];
    const bound = { nonce: null, resources: [], dpopJkt: null, amr: ['pwd'], authTime: deps.clock.now() };
    const codeRow = { clientId: of.id, userId, redirectUri: CALLBACK, challenge, scopes, expiresAt: fromNow(60_000) };
    await deps.database.write(toTenantId('acme'), (tx) =>
      insertCode(tx, toTenantId('acme'), { hash, ...codeRow, ...bound, ...overrides }),
    );
    return value;
  };

  const redeem = (value: string, requestParts: RequestParts, overrides: Form = {}): Promise<TokenAnswer> =>
    token(
      { grant_type: 'authorization_code', code: value, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...overrides },
      requestParts,
    );

  const refresh = (value: string | undefined, requestParts: RequestParts, overrides: Form = {}): Promise<TokenAnswer> =>
    token({ grant_type: 'refresh_token', refresh_token: value ?? '', ...overrides }, requestParts);

  const introspect = (value: string, as: TestClient) => module.introspect(request({ token: value }, { as }));

  return {
    ...base,
    client,
    person,
    request,
    token,
    code,
    redeem,
    refresh,
    introspect,
    /** A DPoP proof for an endpoint. */
    proof: (key: ProofKeyPair, claims: Readonly<Record<string, unknown>> = {}, path = '/token'): string =>
      proofBy(key, {
        claims: {
          htm: 'POST',
          htu: `${settings.issuer}${path}`,
          iat: Math.floor(deps.clock.now().getTime() / 1000),
          ...claims,
        },
      }),
    /** The types of a tenant's events, oldest first. */
    events: async (tenant = 'acme'): Promise<string[]> => {
      const rows = await deps.database.read(toTenantId(tenant), (query) =>
        query.list(types, sql`select type from kernel.events where tenant = ${tenant} order by xid, id`),
      );
      return rows.map(({ type }) => type);
    },
  };
};

export type TokenApp = Awaited<ReturnType<typeof tokenApp>>;
