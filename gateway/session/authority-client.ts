import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { HttpClient } from '@landfall/kernel/http/client';
import type { Keys } from '@landfall/kernel/identity/keys';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ConsoleClient } from './console-client.ts';
import { REFRESH_LEASE_MS, type Tokens } from './session.ts';

const answer = Type.Object({
  access_token: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
});

const validator = Compile(answer);
const isAnswer = (value: unknown): value is Static<typeof answer> => validator.Check(value);

/** Back channel to the authority: requests of the edge without the browser. */
export interface AuthorityClient {
  /** Exchanges a code (RFC 6749 4.1.3, RFC 7636). Undefined when the authority refuses it. */
  exchange(code: string, verifier: string, nonce: string, correlationId: string): Promise<Tokens | undefined>;
  /** Refreshes tokens; undefined when the authority refuses. Throws SYS_SERVICE_UNAVAILABLE. */
  refresh(tokens: Tokens): Promise<Tokens | undefined>;
  /** Revokes the tokens of a sign-in (RFC 7009). Throws SYS_SERVICE_UNAVAILABLE when the outcome is unknown. */
  revoke(tokens: Tokens, correlationId: string): Promise<void>;
}

interface AuthorityClientOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly client: ConsoleClient;
  readonly issuer: string;
  /** Origin of the authority for calls from this process; may differ from its public address. */
  readonly origin: string;
  readonly newCorrelationId: () => string;
  /** Time limit of one request in milliseconds. */
  readonly patienceMs?: number;
}

/** Time limit of a refresh in milliseconds, shorter than its lease, so that no other process uses the same token. */
export const TIMEOUT_MS = REFRESH_LEASE_MS / 2;

const unavailable = (reason: string): Fault =>
  new Fault('SYS_SERVICE_UNAVAILABLE', 'The authority does not answer. Try again.', undefined, [], {
    cause: new Error(reason),
  });

export const createAuthorityClient = (options: AuthorityClientOptions): AuthorityClient => {
  const { http, clock, keys, client, issuer, origin, newCorrelationId, patienceMs: timeoutMs = TIMEOUT_MS } = options;
  // RFC 6749 2.3.1: both parts are form-encoded first.
  const basic = [client.id, client.secret].map(encodeURIComponent).join(':');
  const authorization = `Basic ${Buffer.from(basic).toString('base64')}`;

  const post = (path: string, form: Readonly<Record<string, string>>, correlationId: string) =>
    http.send({
      url: `${origin}${path}`,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ ...form })),
      correlationId,
      // The authority's address is a setting of the operator's own network.
      plainHttp: 'anywhere',
      maxBytes: 65_536,
      timeouts: { total: timeoutMs },
    });

  const askForTokens = async (form: Readonly<Record<string, string>>, correlationId: string) => {
    const response = await post('/token', form, correlationId);
    if (response.kind !== 'response') throw unavailable(response.message);
    if (response.status === 400) return undefined;
    const body: unknown = response.status === 200 ? JSON.parse(response.body.toString()) : undefined;
    if (!isAnswer(body)) throw unavailable(`POST /token answered ${response.status}`);
    return body;
  };

  /** Claims of the authority's ID token (OpenID Connect Core 3.1.3.7); undefined for an invalid one. */
  const identityOf = async (idToken: string | undefined, nonce: string | undefined) => {
    if (idToken === undefined) return undefined;
    const key = await keys.find(String(decodeProtectedHeader(idToken).kid));
    if (!key) return undefined;
    const { payload } = await jwtVerify(idToken, key, {
      algorithms: ['ES256'],
      issuer,
      audience: client.id,
      currentDate: clock.now(),
      clockTolerance: 60,
    });
    return nonce === undefined || payload.nonce === nonce ? payload : undefined;
  };

  const tokensOf = (input: Static<typeof answer>, name: string): Tokens => ({
    accessToken: input.access_token,
    accessExpiresAt: clock.now().getTime() + input.expires_in * 1_000,
    ...(input.refresh_token !== undefined && { refreshToken: input.refresh_token }),
    ...(input.id_token !== undefined && { idToken: input.id_token }),
    name,
  });

  return {
    async exchange(code, verifier, nonce, correlationId) {
      const form = {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: client.redirectUri,
      };
      const tokens = await askForTokens(form, correlationId);
      const identity = tokens && (await identityOf(tokens.id_token, nonce));
      if (!tokens || !identity) return undefined;
      const { name, preferred_username: username, sub } = identity;
      return tokensOf(tokens, [name, username, sub].find((word) => typeof word === 'string') ?? '');
    },

    async refresh(tokens) {
      const { refreshToken, idToken, name } = tokens;
      if (refreshToken === undefined) return undefined;
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const tokenResponse = await askForTokens(form, newCorrelationId());
      return tokenResponse && { ...(idToken !== undefined && { idToken }), ...tokensOf(tokenResponse, name) };
    },

    async revoke({ refreshToken, accessToken }, correlationId) {
      const response = await post('/revoke', { token: refreshToken ?? accessToken }, correlationId);
      if (response.kind !== 'response') throw unavailable(response.message);
      if (response.status !== 200) throw unavailable(`POST /revoke answered ${response.status}`);
    },
  };
};
