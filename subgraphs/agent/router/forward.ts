import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { requestHeaders, responseHeaders, upgradeHeaders } from './headers.ts';
import type { Series } from './metrics.ts';

/** Status in the metrics when a client disconnects before its answer (499, as in other proxies). */
const CLIENT_CLOSED_REQUEST = 499;

/** Idle time of connections to releases, in milliseconds: shorter than the keep-alive of any known server. */
const idleMs = 4_000;

export type Upstream = Readonly<{
  port: number;
  agent: HttpAgent;
  /** Requests in progress; upgraded connections are not counted, since they may stay open. */
  underWay: Set<object>;
}>;

export const createUpstream = (port: number): Upstream => ({
  port,
  agent: new HttpAgent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 64 }),
  underWay: new Set(),
});

/** Idempotent methods, which are sent again when a kept connection turns out to be closed (RFC 9110 section 9.2.2). */
const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

type Exchange = Readonly<{
  client: IncomingMessage;
  upstream: Upstream;
  series: Series;
}>;

const plain = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
};

/** Sends an error of the router itself, when no release can answer. */
export const answer = (response: ServerResponse, status: 400 | 502 | 503): void =>
  plain(
    response,
    status,
    { 400: 'The request names no path.', 502: 'The release did not answer.', 503: 'No release serves here.' }[status],
  );

const send = (client: IncomingMessage, { port, agent }: Upstream, isFresh: boolean, headers: string[]): ClientRequest =>
  httpRequest({
    host: '127.0.0.1',
    port,
    method: client.method,
    path: client.url,
    headers,
    // A request that cannot be sent twice never uses a connection that may be closing.
    agent: isFresh ? false : agent,
  });

/** Sends a release's answer to the client; if the answer breaks off, so does the client's. */
const sendResponse = (from: IncomingMessage, response: ServerResponse): void => {
  response.sendDate = false;
  response.writeHead(from.statusCode ?? 502, from.statusMessage, responseHeaders(from));
  from.on('error', () => response.destroy());
  from.on('aborted', () => response.destroy());
  from.pipe(response);
};

/** Forwards a request to a release and streams both bodies. */
export const forward = ({ client, upstream, series }: Exchange, response: ServerResponse): void => {
  const startedMs = performance.now();
  const mark = {};
  upstream.underWay.add(mark);
  const withBody = hasBody(client);
  const canRepeat = !withBody && repeatable.has(client.method ?? '');
  let inFlight: ClientRequest;
  let hasAnswered = false;

  const attempt = (isFresh: boolean): void => {
    const out = send(client, upstream, isFresh, requestHeaders(client));
    inFlight = out;
    out.once('continue', () => response.writeContinue());
    out.once('response', (from) => {
      hasAnswered = true;
      if (response.destroyed) from.destroy();
      else sendResponse(from, response);
    });
    // This request carries no Upgrade header, so a switch of protocols is an error.
    out.once('upgrade', (_from, socket) => {
      socket.destroy();
      if (!response.headersSent) answer(response, 502);
    });
    out.on('error', () => {
      if (hasAnswered || response.destroyed) return;
      if (out.reusedSocket && canRepeat) attempt(true);
      else answer(response, 502);
    });
    if (withBody) {
      if (client.headers.expect !== undefined) out.flushHeaders();
      client.pipe(out);
    } else out.end();
  };

  response.once('close', () => {
    upstream.underWay.delete(mark);
    const isComplete = response.writableFinished;
    series.note(
      isComplete || hasAnswered ? response.statusCode : CLIENT_CLOSED_REQUEST,
      (performance.now() - startedMs) / 1_000,
    );
    if (!isComplete) inFlight.destroy();
  });
  attempt(!canRepeat);
};

/** Connects two streams in both directions until one of them ends. */
const join = (a: Duplex, b: Duplex): void => {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
};

const headOf = (from: IncomingMessage): string => {
  const fields = responseHeaders(from);
  const lines = [`HTTP/1.1 101 ${from.statusMessage ?? ''}`, 'Connection: Upgrade', `Upgrade: ${from.headers.upgrade}`];
  for (let i = 0; i + 1 < fields.length; i += 2) lines.push(`${fields[i]}: ${fields[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
};

type Upgrade = Exchange & Readonly<{ socket: Duplex; head: Buffer; refuse(): ServerResponse }>;

/** Forwards a protocol upgrade. If the release refuses, its answer is sent and the connection ends. */
export const forwardUpgrade = ({ client, upstream, series, socket, head, refuse }: Upgrade): void => {
  const startedMs = performance.now();
  const note = (status: number): void => series.note(status, (performance.now() - startedMs) / 1_000);
  const out = send(client, upstream, true, upgradeHeaders(client));
  const giveUp = (): void => void out.destroy();
  socket.once('close', giveUp);
  socket.on('error', giveUp);
  out.once('upgrade', (from, other, otherHead) => {
    note(101);
    socket.write(headOf(from), 'latin1');
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    join(socket, other);
  });
  out.once('response', (from) => {
    note(from.statusCode ?? 502);
    sendResponse(from, refuse());
  });
  out.on('error', () => {
    if (socket.destroyed) return;
    note(502);
    answer(refuse(), 502);
  });
  out.end();
};
