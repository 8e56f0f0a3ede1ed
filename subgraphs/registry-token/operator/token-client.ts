import { CannotCheck } from '@landfall/kernel/operator/command';
import { isLoopback } from '@landfall/kernel/system/address';
import type { ProofKey, ProofOf } from './proof-key.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Realm and service that a registry names to its clients (its `WWW-Authenticate: Bearer`). */
export interface Challenge {
  readonly realm: string;
  readonly service: string;
}

export interface RegistryToken {
  readonly token: string;
  readonly expiresIn: number;
}

/** Refusal by the token service, with its reason. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

const TIMEOUT_MS = 15_000;
const SCOPE = 'registry.token.issue';

type Body = Readonly<Record<string, unknown>>;

const bodyOf = async (response: Response): Promise<Body> => {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
};

const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';

/** Credentials go over TLS, or stay on this machine. */
const refusePlain = (url: string): void => {
  if (url.startsWith('https://') || isLoopback(hostOf(url))) return;
  throw new CannotCheck(`${url}: credentials are sent over https:// only, but for this machine itself.`);
};

const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
  try {
    return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CannotCheck(`${url} does not answer (${cause}).`);
  }
};

const wordsOf = (body: Body, status: number): string => {
  const reason = [body.detail, body.error_description, body.error].find((text) => typeof text === 'string');
  return String(reason ?? `status ${status}`);
};

/** Asks with a proof, once more with the nonce when the answer wants one (RFC 9449 8). */
const sendProved = async (holder: ProofKey, of: ProofOf, url: string, init: RequestInit): Promise<Body> => {
  const once = (nonce?: string): Promise<Response> =>
    send(url, { ...init, method: of.method, headers: { ...init.headers, dpop: holder.prove({ ...of, nonce }) } });
  let response = await once();
  let body = await bodyOf(response);
  const nonce = response.headers.get('dpop-nonce');
  if (body.error === 'use_dpop_nonce' && nonce !== null) {
    response = await once(nonce);
    body = await bodyOf(response);
  }
  if (response.ok) return body;
  const message = `${of.url}: ${wordsOf(body, response.status)}`;
  throw response.status >= 500 ? new CannotCheck(message) : new Refusal(message);
};

const textOf = (body: Body, name: string, url: string): string => {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw new CannotCheck(`${url} answered without ${name}.`);
};

/** Requests an access token bound to the key, by the client's credentials (RFC 6749 4.4, RFC 9449 5). */
export const fetchAccessToken = async (
  authUrl: string,
  { clientId, clientSecret }: ClientCredentials,
  holder: ProofKey,
): Promise<string> => {
  const metadata = await bodyOf(await send(`${authUrl}/.well-known/oauth-authorization-server`));
  const url = textOf(metadata, 'token_endpoint', authUrl);
  refusePlain(url);
  const basic = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const body = await sendProved(holder, { method: 'POST', url }, url, {
    headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPE }),
  });
  return textOf(body, 'access_token', url);
};

/**
 * Requests a registry token for repositories: `acme/app:pull,push`.
 * @throws Refusal with the service's own message
 */
export const fetchRegistryToken = async (
  { realm, service }: Challenge,
  repositories: readonly string[],
  { accessToken, holder }: { readonly accessToken: string; readonly holder: ProofKey },
): Promise<RegistryToken> => {
  refusePlain(realm);
  const query = new URLSearchParams([
    ['service', service],
    ...repositories.map((repository) => ['scope', `repository:${repository}`]),
  ]);
  const headers = { authorization: `Bearer ${accessToken}` };
  const of: ProofOf = { method: 'GET', url: realm, accessToken };
  const body = await sendProved(holder, of, `${realm}?${query}`, { headers });
  return { token: textOf(body, 'token', realm), expiresIn: Number(body.expires_in) };
};

/** Requests the authentication challenge of a registry. */
export const askRegistry = async (host: string): Promise<Challenge> => {
  const scheme = isLoopback(hostOf(`http://${host}`)) ? 'http' : 'https';
  const response = await send(`${scheme}://${host}/v2/`);
  await response.body?.cancel();
  const header = response.headers.get('www-authenticate') ?? '';
  const value = (name: string): string | undefined =>
    new RegExp(`(?:^bearer |[ ,])${name}="([^"]*)"`, 'i').exec(header)?.[1];
  const [realm, service] = [value('realm'), value('service')];
  if (!/^bearer /i.test(header) || realm === undefined || service === undefined)
    throw new CannotCheck(
      `${host} does not ask for tokens: it answered ${response.status} without a Bearer challenge.`,
    );
  return { realm, service };
};
