import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { csrfHeader } from '@landfall/kernel/http/request-headers';
import type { Edge } from '@landfall/kernel/identity/edge';
import type { FastifyInstance } from 'fastify';
import { type Identify, noteCaller, originalHeadersOf } from '../http/listener.ts';
import { type Envelopes, envelopeHeader } from '../roles/envelope.ts';
import { isCsrfGood, type Sessions } from '../session/session.ts';
import { readSessionCookie } from '../session/session-cookie.ts';

const readAll = async (payload: AsyncIterable<Buffer>, limit: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of payload) {
    length += chunk.length;
    if (length > limit) throw new Fault('VAL_TOO_LONG', 'The body is larger than this route takes.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Reads the envelope header, which the listener has removed from the parsed headers. */
const envelopeOf = ({ rawHeaders }: IncomingMessage): string | undefined =>
  rawHeaders.find((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === envelopeHeader);

/** Admits only requests with an envelope of another role. Must be called before routes are registered. */
export const identifyByEnvelope = (app: FastifyInstance, envelopes: Envelopes): Identify => {
  const callers = new WeakMap<IncomingMessage, Caller>();

  app.addHook('preParsing', async (request, _reply, payload) => {
    const { method, raw, routeOptions } = request;
    const isStream = routeOptions.config.isStream === true;
    const body = isStream ? undefined : await readAll(payload, routeOptions.bodyLimit);
    callers.set(raw, noteCaller(request, envelopes.open(envelopeOf(raw), { method, path: raw.url ?? '/', body })));
    return body ? Readable.from(body.length > 0 ? [body] : []) : payload;
  });

  return async ({ raw }) => {
    const caller = callers.get(raw);
    if (!caller) throw new TypeError('the request was read before its envelope');
    return caller;
  };
};

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Identifies a caller by bearer token or console cookie; with the cookie, writes need the CSRF header. */
export const identifyCaller =
  ({
    edge,
    find,
    isSecure,
  }: {
    readonly edge: Edge;
    readonly find: Sessions['find'];
    readonly isSecure: boolean;
  }): Identify =>
  async (request) => {
    const requestHeaders = originalHeadersOf(request);
    const id = readSessionCookie(request.headers.cookie, isSecure);
    const session = requestHeaders.authorization.length > 0 || id === undefined ? undefined : await find(id);
    if (!session) return noteCaller(request, await edge.bearer(requestHeaders));
    if (!isRead(request.method) && !isCsrfGood(session, requestHeaders.csrf))
      throw new Fault('PERM_DENIED', 'The request does not carry the CSRF token of this session.', {
        header: csrfHeader,
      });
    return noteCaller(request, await edge.callerOf(session.tokens.accessToken, requestHeaders));
  };
