import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpFailure } from '@landfall/kernel/http/failure';
import type { Deps } from '@landfall/kernel/module';
import { isLoopback } from '@landfall/kernel/system/address';
import * as oidc from 'openid-client';

interface ProviderAccess {
  readonly tenant: TenantId;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Error of an unavailable provider: down, slow, refused by the egress policy, or without valid discovery. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderDown';
  readonly kind: HttpFailure['kind'];

  constructor({ kind, message }: HttpFailure) {
    super(message);
    this.kind = kind;
  }
}

const TIMEOUTS = { connect: 5_000, headers: 10_000, body: 10_000, total: 15_000 };
const MAX_BYTES = 1024 * 1024;
const METHODS = ['GET', 'POST'] as const;

const bodyOf = (body: oidc.FetchBody): string | undefined => {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('a provider is sent forms only');
};

/** Creates the library's `fetch`; of private addresses, the egress policy allows only the provider's own origin. */
const fetchBy =
  (
    { http, ids }: Pick<Deps, 'http' | 'ids'>,
    { tenant, issuer }: Pick<ProviderAccess, 'tenant' | 'issuer'>,
  ): oidc.CustomFetch =>
  async (url, options) => {
    const method = METHODS.find((known) => known === options.method);
    if (!method) throw new TypeError(`a provider is never asked by ${options.method}`);
    const body = bodyOf(options.body);
    const answer = await http.send({
      url,
      method,
      headers: options.headers,
      ...(body !== undefined && { body }),
      tenant,
      vouched: new Set([new URL(issuer).origin]),
      correlationId: ids.uuid(),
      timeouts: TIMEOUTS,
      maxBytes: MAX_BYTES,
    });
    if (answer.kind !== 'response') throw new ProviderUnavailable(answer);
    if (answer.status >= 500)
      throw new ProviderUnavailable({ kind: 'connection', message: `it answered ${answer.status}` });
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: { ...answer.headers },
    });
  };

/** Whether an issuer uses plain HTTP, allowed on loopback only. */
const isPlain = (issuer: string): boolean => new URL(issuer).protocol === 'http:';

/** Returns the reason why an issuer is invalid (OpenID Connect Discovery 3), or undefined. */
export const issuerFault = (issuer: string): string | undefined => {
  const url = URL.parse(issuer);
  const isPlain = url?.search === '' && url.hash === '' && url.username === '';
  if (!isPlain) return 'must be an https address without a query';
  const isAllowed =
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
  return isAllowed ? undefined : 'must be an https address';
};

/** Client authentication that the provider supports; client_secret_basic by default (RFC 8414 2). */
const authenticationOf = (metadata: oidc.ServerMetadata, secret: string): oidc.ClientAuth => {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret);
};

/**
 * Reads the discovery document and creates a client. ID tokens are verified by the provider's keys, whatever channel
 * they came by.
 * @throws ProviderUnavailable, or what the library throws of a document that is none or names another issuer
 */
export const connect = async (
  deps: Pick<Deps, 'http' | 'ids'>,
  access: ProviderAccess,
): Promise<oidc.Configuration> => {
  const { issuer, clientId, clientSecret } = access;
  const plain = isPlain(issuer) ? [oidc.allowInsecureRequests] : [];
  const fetch = fetchBy(deps, access);
  const found = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    [oidc.customFetch]: fetch,
    execute: plain,
    timeout: TIMEOUTS.total / 1000,
  });
  const metadata = found.serverMetadata();
  const config = new oidc.Configuration(metadata, clientId, clientSecret, authenticationOf(metadata, clientSecret));
  config[oidc.customFetch] = fetch;
  config.timeout = TIMEOUTS.total / 1000;
  for (const allow of plain) allow(config);
  oidc.enableNonRepudiationChecks(config);
  return config;
};
