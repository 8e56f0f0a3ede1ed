import type { AllowsOrigin } from '@landfall/authority';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './paths.ts';

/** Paths of the web listener for pages of other origins; the session's are excluded. */
export const PLATFORM_PATHS = ['/graphql', '/changes', '/api', '/v1', '/system', '/tlog', '/token'] as const;

/** Endpoints of the authority for scripts; sign-in pages are used by navigation. */
export const AUTHORITY_PATHS = ['/token', '/revoke', '/userinfo', '/jwks', '/oauth', '/.well-known'] as const;

/** Response headers that clients may read. */
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

const ALLOWED_HEADERS = [
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

/** Seconds for which a browser may cache a preflight. */
const PREFLIGHT_AGE = 600;

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': ALLOWED_HEADERS.join(', '),
  'access-control-max-age': String(PREFLIGHT_AGE),
};

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

interface CorsOptions {
  readonly allowsOrigin: AllowsOrigin;
  /** First segments of the offered paths. */
  readonly paths: readonly string[];
}

/** Lets scripts of registered origins read answers, never with credentials mode (Fetch 3.2, rulings 71). */
export const registerCors = (app: FastifyInstance, { allowsOrigin, paths }: CorsOptions): void => {
  const isOffered = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}/`));

  app.addHook('onRequest', (request, reply, callback) => {
    const { origin } = request.headers;
    if (origin === undefined || !isOffered(pathOf(request.url))) {
      callback();
      return;
    }
    reply.header('vary', 'Origin');
    const answer = (isAllowed: boolean): void => {
      if (!isAllowed) {
        callback();
        return;
      }
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED.join(', '),
      });
      if (isPreflight(request)) reply.code(204).headers(PREFLIGHT).send();
      else callback();
    };
    // While the database does not answer, no origin is allowed; the request itself is refused where it needs the
    // database.
    allowsOrigin(origin).then(answer, () => answer(false));
  });
};

/** Headers that `registerCors` has set, for an answer that bypasses Fastify. */
export const corsHeadersOf = (reply: FastifyReply): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['vary', 'access-control-allow-origin', 'access-control-expose-headers'].flatMap((name) => {
      const value = reply.getHeader(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
