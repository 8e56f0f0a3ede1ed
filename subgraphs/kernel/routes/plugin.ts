import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { Fault } from '../core/fault.ts';
import type { Ids } from '../core/ids.ts';
import { type Certificate, socketCertificate } from '../http/client-certificates.ts';
import { parseForm } from '../http/form-body.ts';
import { presentValuesOf } from '../http/request-headers.ts';
import { deprecationHeaders } from './deprecation.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Answer, Dialect, Route, RouteRequest } from './route.ts';

/** Writes a refusal in the format of a family of routes. */
export type Refuse = (refusal: Refusal, requestId: string, now: Date) => Answer;

declare module 'fastify' {
  interface FastifyContextConfig {
    isBeat?: boolean;
    /** Whether the route reads its body itself, as a stream. */
    isStream?: boolean;
    /** Form of refusals below this path where no route matches; the common envelope unless given. */
    refuse?: Refuse;
  }
}

/** Statuses of bodies that a family calls malformed, which is 400 (spec 4.2). */
const MALFORMED: Partial<Record<Dialect['name'], readonly number[]>> = { registry: [413, 415] };

/** Writes refusals in a dialect's error format; the HTTP status may be more specific than the fault code's. */
export const refuseIn =
  (dialect: Dialect): Refuse =>
  ({ fault, status }, requestId, now) => {
    const isKnown = !(MALFORMED[dialect.name] ?? []).includes(status);
    const narrower = isKnown ? status : fault.status;
    const answer = dialect.answer(fault, requestId, now);
    // A dialect may have a status of its own for a code (RFC 7644 3.14), where the framework has none.
    if (narrower === fault.status) return answer;
    return dialect.withStatus?.(answer, narrower) ?? { ...answer, status: narrower };
  };

export interface RoutesOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Verifies a request's credentials. @throws Fault AUTH_* */
  readonly callerOf: (request: FastifyRequest) => Promise<Caller>;
  /** The client's certificate; unless told otherwise the connection's own. */
  readonly certificateOf?: (request: FastifyRequest) => Certificate | undefined;
  /** Address of a request's sender; the peer's unless given. */
  readonly addressOf?: (request: FastifyRequest) => string;
  /** Receives the original of an error that the client gets as a failure of ours. */
  readonly onBug: (error: unknown, request: FastifyRequest) => void;
}

const BODY_LIMIT = 1024 * 1024;

const EMPTY = Object.freeze({});

/** Entries of an object, without allocation for the common empty one. */
const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  return entries.length === 0 ? undefined : entries;
};

const strings = (value: unknown): Readonly<Record<string, string>> => {
  const entries = entriesOf(value);
  if (!entries) return EMPTY;
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string'),
  );
};

const lists = (value: unknown): Readonly<Record<string, string | readonly string[]>> => {
  const entries = entriesOf(value);
  if (!entries) return EMPTY;
  return Object.fromEntries(
    entries.filter(
      (entry): entry is readonly [string, string | string[]] => typeof entry[1] === 'string' || Array.isArray(entry[1]),
    ),
  );
};

/** Headers of a request with repeated Authorization and DPoP as lists, which Node would shorten or join. */
const headersOf = ({ headers, raw }: FastifyRequest): RouteRequest['headers'] => {
  const [authorization, dpop] = [presentValuesOf(raw, 'authorization'), presentValuesOf(raw, 'dpop')];
  if (authorization.length <= 1 && dpop.length <= 1) return headers;
  return { ...headers, ...(authorization.length > 1 && { authorization }), ...(dpop.length > 1 && { dpop }) };
};

const requestOf = (request: FastifyRequest, reply: FastifyReply, options: RoutesOptions): RouteRequest => {
  const { certificateOf = ({ raw }) => socketCertificate(raw.socket) } = options;
  let removed: AbortController | undefined;
  let caller: Promise<Caller> | undefined;
  return {
    target: request.url,
    params: strings(request.params),
    query: lists(request.query),
    body: request.body,
    headers: headersOf(request),
    requestId: request.id,
    // Created on first use: most routes never wait for work that a disconnected client could spare them.
    get signal() {
      if (!removed) {
        const created = new AbortController();
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) created.abort();
        });
        if (reply.raw.destroyed && !reply.raw.writableFinished) created.abort();
        removed = created;
      }
      return removed.signal;
    },
    address: options.addressOf?.(request) ?? request.socket.remoteAddress ?? '',
    certificate: certificateOf(request),
    caller: () => {
      caller ??= options.callerOf(request);
      return caller;
    },
  };
};

const send = (reply: FastifyReply, { status, headers = {}, body }: Answer): FastifyReply => {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  // Fastify adds a charset to the type of a string that has none, and sends bytes unchanged. A string is sent in one
  // write with its headers.
  if (typeof body === 'string')
    return reply.send(headers['content-type']?.includes('charset=') ? body : Buffer.from(body));
  return reply.send(body instanceof Uint8Array ? body : Readable.from(body));
};

/**
 * Drops what a route left of a streamed body, as Node does only with a body that nobody began to read; otherwise the
 * next request of the connection would wait behind it until a time limit.
 */
const dropRest = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  if (raw.complete) return;
  if (raw.destroyed) reply.header('connection', 'close');
  else raw.resume();
};

const addParsers = (app: FastifyInstance, accepts: NonNullable<Route['accepts']>): void => {
  app.removeAllContentTypeParsers();
  if (accepts === 'json')
    app.addContentTypeParser(
      ['application/json', 'application/scim+json'],
      { parseAs: 'string' },
      (_request, body, callback) => {
        try {
          callback(null, body.length === 0 ? undefined : JSON.parse(String(body)));
        } catch {
          callback(new Fault('VAL_INVALID_JSON', 'The body is not valid JSON.'));
        }
      },
    );
  else if (accepts === 'stream') app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  else if (accepts === 'text')
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, callback) => callback(null, String(body)));
  else
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, callback) => {
      callback(null, parseForm(String(body)));
    });
};

const addRoute = (app: FastifyInstance, entry: Route, options: RoutesOptions): void => {
  const refuse = refuseIn(entry.dialect);
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    if (refusal.fault.status >= 500) options.onBug(error, request);
    return send(reply, refuse(refusal, request.id, options.clock.now()));
  };
  app.route({
    method: entry.method,
    url: entry.path,
    config: { refuse, isBeat: entry.isBeat ?? false, isStream: entry.accepts === 'stream' },
    bodyLimit: entry.bodyLimit ?? BODY_LIMIT,
    // RFC 9110 9.3.2: a route with GET also answers HEAD.
    exposeHeadRoute: entry.hasNoHead !== true,
    ...(entry.sunset !== undefined && {
      onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
        reply.headers(deprecationHeaders(entry));
      },
    }),
    errorHandler: (error, request, reply) => fail(error, request, reply),
    handler: async (request, reply) => {
      try {
        const answer = await entry.handle(requestOf(request, reply, options));
        if (entry.accepts === 'stream') dropRest(request, reply);
        return send(reply, answer);
      } catch (error) {
        if (entry.accepts === 'stream') dropRest(request, reply);
        return fail(error, request, reply);
      }
    },
  });
};

/** Serves routes on a Fastify listener, each media type in its own scope. */
export const registerRoutes = async (
  app: FastifyInstance,
  routes: readonly Route[],
  options: RoutesOptions,
): Promise<void> => {
  for (const accepts of ['json', 'form', 'text', 'stream'] as const) {
    await app.register(async (scope) => {
      addParsers(scope, accepts);
      for (const entry of routes.filter((candidate) => (candidate.accepts ?? 'json') === accepts))
        addRoute(scope, entry, options);
    });
  }
};
