import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { plain } from '@landfall/kernel/routes/dialects/plain';
import { scim } from '@landfall/kernel/routes/dialects/scim';
import { type Refuse, refuseIn } from '@landfall/kernel/routes/plugin';
import type { Refusal } from '@landfall/kernel/routes/refusal';
import type { FastifyInstance } from 'fastify';
import { rememberPaths } from './known-paths.ts';
import { isConsoleRoute, isOwned, pathOf } from './paths.ts';

const inEnvelope = refuseIn(envelope);
const inScim = refuseIn(scim);

const inPlain = refuseIn(plain);

/** Path prefixes with one form of errors, also for unknown paths (RFC 7644 3.12, rulings 22). */
const FAMILIES: readonly (readonly [prefix: string, refuse: Refuse])[] = [
  ['/scim', inScim],
  ['/v1/search', inPlain],
  ['/v1/advisory-ai', inPlain],
];

const refuseAt = (path: string): Refuse =>
  FAMILIES.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? inEnvelope;

/** Checks whether the client accepts a page (RFC 9110 12.5.1), as browsers do for navigation. */
const acceptsHtml = (accept = ''): boolean => /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept);

const notAllowed = (method: string, path: string, allow: string): Refusal => ({
  fault: new Fault('VAL_INVALID_VALUE', `${path} takes ${allow}, not ${method}.`, { allow: allow.split(', ') }),
  status: 405,
});

const notFound = (method: string, path: string): Refusal => {
  const fault = new Fault('RES_NOT_FOUND', `There is no ${method} ${path}.`);
  return { fault, status: fault.status };
};

/** Registers the answers to requests without a route (RFC 9110 15.5.6). Must be called before routes are registered. */
export const registerNotFound = (app: FastifyInstance, clock: Clock, hasPage: boolean): void => {
  const knownAt = rememberPaths(app);
  // An unread body is not parsed either, so that it cannot be refused for its form.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, callback) => callback(null));

  app.setNotFoundHandler(async (request, reply) => {
    const { method } = request;
    const path = pathOf(request.url);
    const refuse = (refusal: Refusal, write: Refuse = inEnvelope) => {
      const { status, headers = {}, body } = write(refusal, request.id, clock.now());
      // Fastify adds a charset to the type of a string that has none.
      const isComplete = typeof body !== 'string' || headers['content-type']?.includes('charset=');
      return reply
        .code(status)
        .headers(headers)
        .send(isComplete ? body : Buffer.from(body));
    };
    const known = knownAt(path);
    if (known) {
      const allow = [...known.methods, 'OPTIONS'].toSorted().join(', ');
      reply.header('allow', allow);
      return method === 'OPTIONS' ? reply.code(204).send() : refuse(notAllowed(method, path, allow), known.refuse);
    }
    const isNavigation = (method === 'GET' || method === 'HEAD') && acceptsHtml(request.headers.accept);
    // For a person the console shows a page for an unknown address; a program reads the status.
    if (hasPage && isNavigation && !isOwned(path))
      return reply.code(isConsoleRoute(path) ? 200 : 404).sendFile('index.html');
    return refuse(notFound(method, path), refuseAt(path));
  });
};
