import type { Clock } from '@landfall/kernel/clock';
import { Fault } from '@landfall/kernel/fault';
import { envelope } from '@landfall/kernel/http/dialects/envelope';
import { scim } from '@landfall/kernel/http/dialects/scim';
import { type Refuse, refuseIn } from '@landfall/kernel/http/plugin';
import type { Refusal } from '@landfall/kernel/http/refusal';
import type { FastifyInstance } from 'fastify';
import { rememberPaths } from './known-paths.ts';
import { isOwned, pathOf } from './paths.ts';

const inEnvelope = refuseIn(envelope);
const inScim = refuseIn(scim);

/** A directory reads errors of SCIM only, also where there is nothing (RFC 7644 3.12). */
const refuseAt = (path: string): Refuse => (path.startsWith('/scim/') ? inScim : inEnvelope);

const notAllowed = (method: string, path: string, allow: string): Refusal => ({
  fault: new Fault('VAL_INVALID_VALUE', `${path} takes ${allow}, not ${method}.`, { allow: allow.split(', ') }),
  status: 405,
});

const notFound = (method: string, path: string): Refusal => {
  const fault = new Fault('RES_NOT_FOUND', `There is no ${method} ${path}.`);
  return { fault, status: fault.status };
};

/**
 * What no route answers. A path that others methods know says which (RFC 9110 15.5.6), in the form of its own errors; a
 * path of the console's own gets its page; everything else is a 404, in the common envelope but for SCIM's. To be called before the
 * routes are registered; each scope of routes names the bodies that it reads.
 */
export const registerNotFound = (app: FastifyInstance, clock: Clock, hasPage: boolean): void => {
  const knownAt = rememberPaths(app);
  // What nobody reads is not parsed either, so that it cannot be refused for its form.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.setNotFoundHandler(async (request, reply) => {
    const { method } = request;
    const path = pathOf(request.url);
    const refuse = (refusal: Refusal, write: Refuse = inEnvelope) => {
      const { status, headers = {}, body } = write(refusal, request.id, clock.now());
      // Fastify adds a charset to the type of a string that has none.
      const isWhole = typeof body !== 'string' || headers['content-type']?.includes('charset=');
      return reply
        .code(status)
        .headers(headers)
        .send(isWhole ? body : Buffer.from(body));
    };
    const known = knownAt(path);
    if (known) {
      const allow = [...known.methods, 'OPTIONS'].toSorted().join(', ');
      reply.header('allow', allow);
      return method === 'OPTIONS' ? reply.code(204).send() : refuse(notAllowed(method, path, allow), known.refuse);
    }
    const isRead = method === 'GET' || method === 'HEAD';
    if (hasPage && isRead && !isOwned(path)) return reply.sendFile('index.html');
    return refuse(notFound(method, path), refuseAt(path));
  });
};
