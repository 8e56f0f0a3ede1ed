import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Ids } from '@landfall/kernel/core/ids';
import { correlationHeader } from '@landfall/kernel/http/request-headers';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { refuseIn } from '@landfall/kernel/routes/plugin';
import { type Refusal, refusalOf } from '@landfall/kernel/routes/refusal';
import type { FastifyReply, FastifyRequest } from 'fastify';

const inEnvelope = refuseIn(envelope);

/** Creates the handler of errors that no route has answered. */
export const refuseWith =
  (clock: Clock) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { status, headers = {}, body } = inEnvelope(refusalOf(error), request.id, clock.now());
    return reply.code(status).headers(headers).send(body);
  };

type Known = readonly [status: number, code: Fault['code'], message: string];

const UNREADABLE: Known = [400, 'VAL_INVALID_FORMAT', 'This is no request of HTTP/1.1.'];

const KNOWN: Readonly<Record<string, Known>> = {
  HPE_HEADER_OVERFLOW: [431, 'VAL_TOO_LONG', 'The headers are too long.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'VAL_TOO_LONG', 'The chunk extensions are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'VAL_INVALID_FORMAT', 'The request did not arrive in time.'],
};

/** Answers malformed HTTP on the socket. Other protocols, such as TLS, are only disconnected. */
export const refuseOnSocket =
  ({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    const { code = '' } = error;
    if (!socket.writable || !/^(HPE_|ERR_HTTP_)/.test(code)) {
      socket.destroy();
      return;
    }
    const [status, name, message] = KNOWN[code] ?? UNREADABLE;
    const requestId = ids.uuid();
    const refusal: Refusal = { fault: new Fault(name, message), status };
    const { headers = {}, body = '' } = inEnvelope(refusal, requestId, clock.now());
    const lines = Object.entries({
      [correlationHeader]: requestId,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
      'content-length': String(Buffer.byteLength(String(body))),
      connection: 'close',
    }).map(([header, value]) => `${header}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  };
