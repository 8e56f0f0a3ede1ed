import { pipeline, type Readable, Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { refuseWhileConnected } from '../core/connection-use.ts';
import type { TenantId } from '../core/ids.ts';
import { systemErrorCodeOf } from '../core/system-error-code.ts';
import { isLoopback } from '../system/address.ts';
import type { Egress, NamedBy } from '../system/egress.ts';
import { failureOf, type HttpFailure } from './failure.ts';
import { type ConnectionOptions, createPools, hostOf, portOf } from './pools.ts';

/**
 * Time limits in milliseconds. `body` is the longest pause inside a body; `total` spans redirects and the whole body.
 */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly body: number;
  readonly total: number;
}

export interface HttpRequest {
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream needs the header `content-length`, and goes with no redirect. */
  readonly body?: string | Uint8Array | Readable;
  /** Tenant whose egress rule decides; traffic that belongs to no tenant has none. */
  readonly tenant?: TenantId | undefined;
  /** Origins that the tenant's administrator configured: may be in private networks that the operator allows. */
  readonly vouched?: ReadonlySet<string>;
  /** Origins in the operator's settings: may be anywhere. */
  readonly configured?: ReadonlySet<string>;
  readonly correlationId: string;
  readonly timeouts?: Partial<Timeouts>;
  /** Largest body in bytes; 8 MiB unless given. */
  readonly maxBytes?: number;
  /** Redirects of a GET or HEAD to follow; none unless given. */
  readonly redirects?: number;
  /** Reach of `http:`; only this machine unless given (ruling 53). */
  readonly plainHttp?: 'loopback' | 'anywhere';
  /** Part of the product that asks, for the record of egress decisions. */
  readonly feature?: string;
  readonly signal?: AbortSignal;
}

interface Answer<Body> {
  readonly kind: 'response';
  readonly status: number;
  /** Lower-case names; a header that came several times is joined by comma, as RFC 9110 5.3 has it. */
  readonly headers: Readonly<Record<string, string>>;
  /** URL of the answer, after redirects. */
  readonly url: string;
  readonly body: Body;
}

export type HttpResponse = Answer<Buffer>;
/** The body ends in an error past `maxBytes` or a timeout; `failureOf` says which. It must be read or destroyed. */
type HttpStream = Answer<Readable>;

/** Facts that the policy decides by, beside the address. */
type Destined = Pick<HttpRequest, 'tenant' | 'vouched' | 'configured' | 'plainHttp' | 'feature'>;

interface HttpClientOptions extends ConnectionOptions {
  readonly timeouts?: Partial<Timeouts>;
}

const defaults: Timeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };
const defaultMaxBytes = 8 * 1024 * 1024;

const refusal = (message: string, details?: HttpFailure['details']): HttpFailure => ({
  kind: 'refused-by-policy',
  message,
  ...(details && { details }),
});

const tooLarge = (maxBytes: number): Error =>
  Object.assign(new Error(`The answer is larger than ${maxBytes} bytes.`), { code: 'LANDFALL_TOO_LARGE' });

/** Ends a body in an error as soon as it is longer than allowed; a declared length is refused before it is read. */
const limited = (body: Readable, declared: string | undefined, maxBytes: number): Readable => {
  let count = Number(declared) > maxBytes ? Infinity : 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      count += chunk.length;
      if (count > maxBytes) callback(tooLarge(maxBytes));
      else callback(null, chunk);
    },
  });
  // The reader of the counter sees the error; pipeline only destroys each end with the other.
  return pipeline(body, counter, () => undefined);
};

const namedBy = ({ vouched: assertedClaims, configured }: Destined, { origin }: URL): NamedBy | undefined => {
  if (configured?.has(origin)) return 'operator';
  return assertedClaims?.has(origin) ? 'administrator' : undefined;
};

const check = (egress: Egress, url: URL, request: Destined): HttpFailure | undefined => {
  const { tenant, plainHttp } = request;
  const host = hostOf(url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refusal(`${url.protocol} is not HTTP.`);
  if (url.username || url.password) return refusal('An address must not carry credentials.');
  if (url.protocol === 'http:' && plainHttp !== 'anywhere' && !isLoopback(host))
    return refusal(`Plain HTTP is for this machine only; ${host} needs https.`);
  const transport = url.protocol === 'https:' ? 'https' : 'http';
  const by = namedBy(request, url);
  const decision = egress.decide({ host, port: portOf(url), transport, tenant, namedBy: by, feature: request.feature });
  return decision.allowed ? undefined : refusal(decision.reason, decision.details);
};

const joined = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

// A registry redirects its blobs to foreign storage, which must receive no credential, whatever its header.
const FORWARDABLE_HEADERS = new Set(['accept', 'accept-language', 'range', 'user-agent', 'x-svc-correlation-id']);

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => FORWARDABLE_HEADERS.has(name.toLowerCase())));

/** One request of a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly headers: Record<string, string>;
  /** Redirects that may still follow. */
  readonly left: number;
}

const redirecting = new Set([301, 302, 303, 307, 308]);

const nextHop = (
  { url, headers, left: remaining }: Hop,
  status: number,
  location: string | undefined,
): Hop | undefined => {
  const next = remaining > 0 && redirecting.has(status) && location !== undefined ? URL.parse(location, url) : null;
  if (!next) return undefined;
  return {
    url: next,
    headers: next.origin === url.origin ? headers : withoutCredentials(headers),
    left: remaining - 1,
  };
};

const firstHop = (request: HttpRequest): Hop | undefined => {
  const url = URL.parse(request.url);
  const mayFollow = request.method === undefined || request.method === 'GET' || request.method === 'HEAD';
  const headers = { ...request.headers, 'x-svc-correlation-id': request.correlationId };
  return url ? { url, headers, left: mayFollow ? (request.redirects ?? 0) : 0 } : undefined;
};

/** Answer with its body as it comes, which nothing limits yet. */
interface RawAnswer extends Answer<Readable> {
  readonly maxBytes: number;
}

const limitedStream = ({ maxBytes, ...answer }: RawAnswer): HttpStream => ({
  ...answer,
  body: limited(answer.body, answer.headers['content-length'], maxBytes),
});

/** Reads a body whole, without the streams that limit one that is passed on. */
const readAll = async ({ maxBytes, ...answer }: RawAnswer): Promise<HttpResponse> => {
  const chunks: Buffer[] = [];
  let count = Number(answer.headers['content-length']) > maxBytes ? Infinity : 0;
  // Leaving the loop by an error destroys the body.
  for await (const chunk of answer.body) {
    count += chunk.length;
    if (count > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return { ...answer, body: only && chunks.length === 1 ? only : Buffer.concat(chunks) };
};

const isMisuse = (error: unknown): boolean => systemErrorCodeOf(error) === 'UND_ERR_INVALID_ARG';

/**
 * HTTP client of a process, or of one integration with its own certificates: the only way to send HTTP requests.
 * Every request, redirect and resolved address is checked by the egress policy. Throws TypeError when the calling
 * code holds a database connection.
 */
export const createHttpClient = (options: HttpClientOptions) => {
  const { egress } = options;
  const base: Timeouts = { ...defaults, ...options.timeouts };
  const pools = createPools(options, base.connect);

  const ask = ({ url, headers }: Hop, request: HttpRequest, signal: AbortSignal) =>
    pools.of({ tenant: request.tenant, namedBy: namedBy(request, url), feature: request.feature }).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method ?? 'GET',
      headers,
      body: request.body ?? null,
      headersTimeout: request.timeouts?.headers ?? base.headers,
      bodyTimeout: request.timeouts?.body ?? base.body,
      signal,
    });

  const follow = async (hop: Hop, request: HttpRequest, signal: AbortSignal): Promise<RawAnswer | HttpFailure> => {
    const { url } = hop;
    const refused = check(egress, url, request);
    if (refused) return refused;
    const answer = await ask(hop, request, signal);
    const headers = joined(answer.headers);
    const next = nextHop(hop, answer.statusCode, headers.location);
    if (!next) {
      const maxBytes = request.maxBytes ?? defaultMaxBytes;
      return { kind: 'response', status: answer.statusCode, headers, url: url.href, body: answer.body, maxBytes };
    }
    await answer.body.dump();
    if (next.url.protocol !== url.protocol)
      return refusal(`A redirect from ${url.protocol} to ${next.url.protocol} is refused.`);
    return follow(next, request, signal);
  };

  const exchange = async (request: HttpRequest): Promise<RawAnswer | HttpFailure> => {
    const hop = firstHop(request);
    if (!hop) return refusal('The address cannot be read.');
    const total = AbortSignal.timeout(request.timeouts?.total ?? base.total);
    return follow(hop, request, request.signal ? AbortSignal.any([total, request.signal]) : total);
  };

  const guarded = async <T>(request: HttpRequest, exchange: () => Promise<T>): Promise<T | HttpFailure> => {
    refuseWhileConnected(`an answer of ${URL.parse(request.url)?.host ?? 'another host'}`);
    try {
      return await exchange();
    } catch (error) {
      if (isMisuse(error)) throw error;
      return request.signal?.aborted ? { kind: 'aborted', message: 'The caller gave up.' } : failureOf(error);
    }
  };

  return {
    /** As `send`, with the body as a stream. */
    stream: (request: HttpRequest): Promise<HttpStream | HttpFailure> =>
      guarded(request, async () => {
        const answer = await exchange(request);
        return answer.kind === 'response' ? limitedStream(answer) : answer;
      }),
    /** Sends and reads the whole answer. Any status is a response; a failure is returned, not thrown. */
    send: (request: HttpRequest): Promise<HttpResponse | HttpFailure> =>
      guarded(request, async () => {
        const answer = await exchange(request);
        return answer.kind === 'response' ? readAll(answer) : answer;
      }),
    /** Reason why the policy refuses an address, as far as it is known before its name is resolved. */
    refusal(request: Pick<HttpRequest, 'url'> & Destined): HttpFailure | undefined {
      const url = URL.parse(request.url);
      return url ? check(egress, url, request) : refusal('The address cannot be read.');
    },
    /** Waits for requests under way, then closes the connections. */
    async close(): Promise<void> {
      await pools.close();
    },
  };
};

export type HttpClient = ReturnType<typeof createHttpClient>;

/** HTTP client whose requests are recorded as those of a part of the product. */
export const withFeature = (http: HttpClient, feature: string): HttpClient => ({
  send: (request) => http.send({ feature, ...request }),
  stream: (request) => http.stream({ feature, ...request }),
  refusal: (request) => http.refusal({ feature, ...request }),
  close: () => http.close(),
});
