import { Readable } from 'node:stream';
import { BodyTooLarge, EncodedBody } from '@landfall/kernel/routes/refusal';
import type { RouteRequest } from '@landfall/kernel/routes/route';

const isBytes = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/**
 * Bytes of a streamed body; none for a request without a body. A reader that stops early leaves the rest to the listener,
 * which drops it: a destroyed request would block its connection.
 */
export async function* bytesOf({ body }: Pick<RouteRequest, 'body'>): AsyncGenerator<Uint8Array> {
  if (body instanceof Readable) yield* body.iterator({ destroyOnReturn: false });
  else if (isBytes(body)) yield* body;
}

/**
 * Refuses a body whose announced length is above a limit, before it is read; one of unknown length is counted while it
 * is read.
 * @throws BodyTooLarge
 */
export const refuseLarge = ({ headers }: Pick<RouteRequest, 'headers'>, limit: number): void => {
  if (Number(headers['content-length']) > limit) throw new BodyTooLarge(`The body is larger than ${limit} bytes.`);
};

/** Refuses a body in a content coding such as gzip, whose bytes are not those that the sender means. @throws EncodedBody */
export const refuseEncoded = ({ headers }: Pick<RouteRequest, 'headers'>): void => {
  const coding = String(headers['content-encoding'] ?? 'identity');
  if (!/^\s*(?:identity)?\s*$/i.test(coding)) throw new EncodedBody(`The body is ${coding}.`);
};
