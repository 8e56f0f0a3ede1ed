import type { AllowsOrigin } from '@landfall/authority';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './paths.ts';

/** Interfaces of the web listener that pages of other origins may call; sessions are the console's alone. */
export const PLATFORM_PATHS = ['/graphql', '/changes', '/api', '/v1', '/system', '/tlog', '/token'] as const;

/** Endpoints of the authority that a script needs; people sign in on its pages by navigation. */
export const AUTHORITY_PATHS = ['/token', '/revoke', '/userinfo', '/jwks', '/oauth', '/.well-known'] as const;

/** Headers of an answer that a client of these interfaces reads. */
const EXPOSED = [
  'Allow',
  'Deprecation',
  'DPoP-Nonce',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'Sunset',
  'Warning',
  'WWW-Authenticate',
  'X-Svc-Correlation-Id',
];

const TAKEN = [
  'Accept',
  'Apollo-Require-Preflight',
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'DPoP',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Apollo-Operation-Name',
  'X-Svc-Correlation-Id',
];

/** Seconds for which a browser may remember a preflight. */
const PREFLIGHT_AGE = 600;

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': TAKEN.join(', '),
  'access-control-max-age': String(PREFLIGHT_AGE),
};

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

interface CorsOptions {
  readonly allowsOrigin: AllowsOrigin;
  /** First segments of the paths that are offered. */
  readonly paths: readonly string[];
}

/**
 * Lets scripts of registered origins read answers (Fetch 3.2, rulings 71). The credentials mode is never allowed: a
 * page brings its own token and no cookie. An origin that no client is registered with gets no header at all.
 */
export const registerCors = (app: FastifyInstance, { allowsOrigin, paths }: CorsOptions): void => {
  const isOffered = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}/`));

  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined || !isOffered(pathOf(request.url))) {
      done();
      return;
    }
    reply.header('vary', 'Origin');
    const answer = (isAllowed: boolean): void => {
      if (!isAllowed) {
        done();
        return;
      }
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED.join(', '),
      });
      if (isPreflight(request)) reply.code(204).headers(PREFLIGHT).send();
      else done();
    };
    // A database that does not answer lets no page in; the request itself is refused by whatever needs it.
    allowsOrigin(origin).then(answer, () => answer(false));
  });
};

/** The headers that `registerCors` has set, for an answer that leaves Fastify behind. */
export const corsHeadersOf = (reply: FastifyReply): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['vary', 'access-control-allow-origin', 'access-control-expose-headers'].flatMap((name) => {
      const value = reply.getHeader(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
