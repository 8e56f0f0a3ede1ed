import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Ids } from '@landfall/kernel/core/ids';
import { type ClientCertificates, socketCertificate } from '@landfall/kernel/http/client-certificates';
import { correlationHeader, type RequestHeaders, readRequestHeaders } from '@landfall/kernel/http/request-headers';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { refuseIn } from '@landfall/kernel/routes/plugin';
import { type Log, logRequest } from '@landfall/kernel/system/log';
import type { Meter } from '@landfall/kernel/system/telemetry';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { ServesHost } from './allowed-hosts.ts';
import { refuseOnSocket, refuseWith } from './refusals.ts';

const BODY_LIMIT = 1024 * 1024;
/** Limit of a path parameter in characters: a digest has 71, a bom-ref may be longer. */
const PARAMETER_LIMIT = 1_024;

const inEnvelope = refuseIn(envelope);

/** Default response headers: a tenant's data must not be cached by intermediaries. */
const DEFAULT_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Facts recorded about a request. */
interface Noted {
  readonly requestHeaders: RequestHeaders;
  caller: Caller | undefined;
  failure: unknown;
}

// Stored on the request itself: a WeakMap would double the cost of garbage collection for it.
const noted = Symbol('noted');

declare module 'node:http' {
  interface IncomingMessage {
    [noted]?: Noted;
  }
}

const notedOf = ({ raw }: Pick<FastifyRequest, 'raw'>): Noted => {
  const found = raw[noted];
  if (!found) throw new TypeError('the request came in past our listeners');
  return found;
};

/** Identity headers of a request, recorded before they were removed. */
export const originalHeadersOf = (request: FastifyRequest): RequestHeaders => notedOf(request).requestHeaders;

/** Verifies the credentials of a request. Throws AUTH_*. */
export type Identify = (request: FastifyRequest) => Promise<Caller>;

/** Records the caller of a request for its log line. */
export const noteCaller = (request: FastifyRequest, caller: Caller): Caller => {
  notedOf(request).caller = caller;
  return caller;
};

/** Records the error behind a refusal, which is logged if it is internal. */
export const noteFailure = (error: unknown, { raw }: Pick<FastifyRequest, 'raw'>): void => {
  const { [noted]: found } = raw;
  if (found) found.failure = error;
};

/** Time limits for clients in milliseconds. They do not limit answers: streams and long polls may last. */
export interface Timeouts {
  readonly headers: number;
  /** Limit for a whole request with its body. */
  readonly request: number;
  /** Limit for an idle connection; longer than a long poll and than the interval of stream heartbeats. */
  readonly idle: number;
  /** Interval between two checks for slow requests. */
  readonly check: number;
}

const TIMEOUTS: Timeouts = { headers: 20_000, request: 60_000, idle: 120_000, check: 10_000 };

interface ListenerOptions {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Check of the host name; any by default. */
  readonly serves?: ServesHost;
  /** HTTP server of a listener with its own TLS. */
  readonly server?: Server;
  /** Source of a client's certificate: the connection by default. */
  readonly certificateOf?: ClientCertificates;
  readonly patience?: Timeouts;
}

/**
 * Creates a listener of the product. It removes identity headers before anything reads them, uses and echoes the
 * correlation id as request id, gives every refusal a code, forbids caching by default, and logs one line for each
 * request.
 */
export const createListener = (options: ListenerOptions): FastifyInstance => {
  const { certificateOf = ({ socket }) => socketCertificate(socket) } = options;
  const { ids, clock, log, meter, server, serves = () => true, patience = TIMEOUTS } = options;
  const refuse = refuseWith(clock);
  const duration = meter.histogram('http.server.request.duration', { description: 'Time to answer.', unit: 's' });
  const app = Fastify({
    ...(server && {
      serverFactory: (handler: (request: IncomingMessage, response: ServerResponse) => void) =>
        server.on('request', handler),
    }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: patience.request,
    connectionTimeout: patience.idle,
    http: { headersTimeout: patience.headers, connectionsCheckingInterval: patience.check },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      noteFailure(error, request);
      refuse(error, request, reply.headers({ ...DEFAULT_HEADERS, [correlationHeader]: request.id }));
    },
    clientErrorHandler: refuseOnSocket({ clock, ids }),
    routerOptions: { maxParamLength: PARAMETER_LIMIT },
    // The id is asked for before any hook runs, so this is where a request is read first.
    genReqId: (raw: IncomingMessage) => {
      const requestHeaders = readRequestHeaders(raw, ids, certificateOf(raw));
      raw[noted] = { requestHeaders, caller: undefined, failure: undefined };
      return requestHeaders.correlationId;
    },
  });
  if (server) {
    // Fastify does not set time limits on a server that is passed in.
    Object.assign(server, { headersTimeout: patience.headers, requestTimeout: patience.request });
    server.setTimeout(patience.idle);
  }
  // The hooks use callbacks: a promise for each would cost more than their work.
  app.addHook('onRequest', (request, reply, callback) => {
    reply.header(correlationHeader, request.id).headers(DEFAULT_HEADERS);
    if (serves(request.headers.host)) {
      callback();
      return;
    }
    const fault = new Fault('VAL_INVALID_VALUE', `Nothing is served as ${request.headers.host} here.`, {
      setting: 'LANDFALL_ALLOWED_HOSTS',
    });
    const { status, headers = {}, body } = inEnvelope({ fault, status: 421 }, request.id, clock.now());
    reply.code(status).headers(headers).send(body);
  });
  app.setErrorHandler((error, request, reply) => {
    noteFailure(error, request);
    return refuse(error, request, reply);
  });
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onResponse', (request, reply, callback) => {
    // A connection that becomes idle after the listener has begun to close would delay the close by the idle timeout.
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    const durationMs = reply.elapsedTime;
    duration(durationMs / 1_000, { method, route, status });
    const { caller, failure: error } = request.raw[noted] ?? {};
    const isHeartbeat = request.routeOptions.config.isBeat ?? false;
    logRequest(log, {
      method,
      route,
      status,
      durationMs,
      correlationId: request.id,
      isBeat: isHeartbeat,
      caller,
      error,
    });
    callback();
  });
  return app;
};
