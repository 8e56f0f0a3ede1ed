import { setTimeout as pause } from 'node:timers/promises';
import { isLoopback } from '@landfall/kernel/system/address';

/** Server of a scan, and the way in. */
export interface ServerAccess {
  /** Address of the web listener, without a slash at its end. */
  readonly server: string;
  /** Access token, or the credentials of a client that requests one. */
  readonly credentials:
    | { readonly token: string }
    | { readonly authUrl: string; readonly clientId: string; readonly clientSecret: string };
  /** Instant of `performance.now()` at which every request ends. */
  readonly deadline: number;
}

/** Error of a server that cannot be reached, or that refuses the caller. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
}

/** Refusal of a request by its content, in the server's words. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Error of something that did not end before the deadline. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

interface ServerRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob | URLSearchParams | string;
}

export interface ServerClient {
  /** Sends a request to a path of the server and returns the body of its answer. */
  send(path: string, request: ServerRequest): Promise<unknown>;
  readonly deadline: number;
}

/** Answers that say nothing about the request: it is sent again. All of ours may be repeated. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const LONGEST_PAUSE_MS = 15_000;
const FIRST_PAUSE_MS = 500;
/** Attempts without an answer, before the server counts as unreachable. */
const ATTEMPTS = 3;

const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';

/** Refuses to send credentials over plain HTTP to another machine. */
const refusePlain = (url: string): void => {
  if (url.startsWith('https://') || isLoopback(hostOf(url))) return;
  throw new ServerError(
    `${url}: credentials are sent over https:// only, except to this machine. Use its https:// address.`,
  );
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
};

const textIn = (body: unknown, ...names: readonly string[]): string | undefined => {
  if (typeof body !== 'object' || body === null) return undefined;
  return names.map((name): unknown => Reflect.get(body, name)).find((value) => typeof value === 'string');
};

const bodyOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const pauseBefore = (attempt: number, response?: Response): number => {
  const named = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const chosen = named > 0 ? named : FIRST_PAUSE_MS * 2 ** attempt;
  return Math.min(chosen, LONGEST_PAUSE_MS);
};

/** Sends a request until it has an answer that is about the request. Throws ServerError, DeadlinePassed. */
const sendUntilAnswered = async (url: string, request: RequestInit, deadline: number): Promise<Response> => {
  for (let attempt = 0; ; attempt++) {
    const remaining = deadline - performance.now();
    if (remaining <= 0) throw new DeadlinePassed(`${url} did not answer before the time limit.`);
    let response: Response | undefined;
    let failure: unknown;
    try {
      response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(Math.ceil(remaining)), ...request });
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new DeadlinePassed(`${url} did not answer before the time limit.`);
      failure = error;
    }
    if (response && !PASSING.has(response.status)) return response;
    if (!response && attempt + 1 >= ATTEMPTS) throw new ServerError(`${url} does not answer (${reasonOf(failure)}).`);
    const wait = pauseBefore(attempt, response);
    if (performance.now() + wait >= deadline)
      throw new ServerError(
        response
          ? `${url} answered ${response.status} until the time limit.`
          : `${url} does not answer (${reasonOf(failure)}).`,
      );
    await response?.body?.cancel();
    await pause(wait);
  }
};

/** Requests an access token by a client's credentials (RFC 6749 4.4). */
const requestToken = async ({ credentials, deadline }: ServerAccess): Promise<string> => {
  if ('token' in credentials) return credentials.token;
  const { authUrl, clientId, clientSecret } = credentials;
  refusePlain(authUrl);
  const metadata = await sendUntilAnswered(`${authUrl}/.well-known/oauth-authorization-server`, {}, deadline);
  const url = textIn(bodyOf(await metadata.text()), 'token_endpoint');
  if (url === undefined)
    throw new ServerError(`${authUrl} is no authority: its metadata has no token endpoint. Correct --auth-url.`);
  refusePlain(url);
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const response = await sendUntilAnswered(
    url,
    {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    },
    deadline,
  );
  const body = bodyOf(await response.text());
  const token = textIn(body, 'access_token');
  if (token !== undefined) return token;
  const reason = textIn(body, 'error_description', 'error') ?? `status ${response.status}`;
  throw new ServerError(`${url} issued no token: ${reason}`);
};

const hintOf = (status: number): string => {
  if (status === 401) return ' Set LANDFALL_TOKEN, or the credentials of a client.';
  return status === 403 ? ' The command needs the scopes scanner:read and scanner:write.' : '';
};

/** Opens a client of the server. Throws ServerError, DeadlinePassed. */
export const openServer = async (access: ServerAccess): Promise<ServerClient> => {
  const { server, deadline } = access;
  refusePlain(server);
  const token = await requestToken(access);
  return {
    deadline,
    async send(path, { method, headers = {}, body }) {
      const url = `${server}${path}`;
      const response = await sendUntilAnswered(
        url,
        { method, headers: { ...headers, authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) },
        deadline,
      );
      const answer = bodyOf(await response.text());
      if (response.ok && answer !== undefined) return answer;
      const reason = textIn(answer, 'detail', 'message', 'error_description', 'error') ?? `status ${response.status}`;
      if (response.ok)
        throw new ServerError(`${url} is no server of Landfall: its answer is no JSON. Correct --server.`);
      const isOfContent = [400, 413, 415, 422].includes(response.status);
      if (isOfContent) throw new RequestRefused(response.status, reason);
      throw new ServerError(`${url} answered ${response.status}: ${reason}${hintOf(response.status)}`);
    },
  };
};
