import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseJson } from '@landfall/kernel/core/json';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import type { Log } from '@landfall/kernel/system/log';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { signatureHeaders } from '../channels/webhook-signature.ts';

/** Tolerance of a receiver for the time of an attempt, in seconds (Standard Webhooks). */
const TOLERANCE_SECONDS = 300;

const Message = Type.Object({ type: Type.String(), data: Type.Object({ summary: Type.String() }) });

interface ReceiverOptions {
  readonly port: number;
  readonly log: Log;
  /** Secret that messages must be signed with; undefined before the channel exists. */
  secret(): Promise<string | undefined>;
}

const headerOf = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? '');

/** Whether a message was signed by a secret, not long ago. */
const isSigned = (request: IncomingMessage, body: string, secret: string): boolean => {
  const timestamp = Number(headerOf(request, 'webhook-timestamp'));
  if (!(Math.abs(Date.now() / 1_000 - timestamp) <= TOLERANCE_SECONDS)) return false;
  const expected = signatureHeaders({ id: headerOf(request, 'webhook-id'), timestamp, body }, [secret]);
  return headerOf(request, 'webhook-signature')
    .split(' ')
    .some((signature) => constantTimeEqual(signature, expected['webhook-signature'] ?? ''));
};

/**
 * Starts the demo's receiver of webhooks on loopback: it verifies each message and logs its summary. Under `/retired` it
 * answers 404, as a receiver does that was taken away.
 */
export const startReceiver = async ({ port, log, secret }: ReceiverOptions): Promise<AsyncDisposable> => {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const known = await secret();
    if (request.url === '/retired') response.writeHead(404).end('This receiver was taken away.\n');
    else if (known === undefined || !isSigned(request, body, known)) {
      log.warn('demo notification with a wrong signature');
      response.writeHead(401).end('The signature is wrong.\n');
    } else {
      const { type, data } = Parse(Message, parseJson(body));
      log.info({ kind: type, summary: data.summary }, 'demo notification, signature verified');
      response.writeHead(204).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
