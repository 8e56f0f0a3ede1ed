import type { IncomingMessage } from 'node:http';

/** Alternating names and values as received: `node:http` uses this form to preserve case, order and repetition. */
type RawHeaders = readonly string[];

/** Hop-by-hop fields (RFC 9110 section 7.6.1). The router frames bodies itself. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const namesIn = (list: string | undefined): readonly string[] =>
  list === undefined ? [] : list.split(',').map((name) => name.trim().toLowerCase());

/** Selects end-to-end fields: all except hop-by-hop ones, those named by `Connection`, and `without`. */
const endToEnd = (raw: RawHeaders, connection: string | undefined, without: ReadonlySet<string>): string[] => {
  const named = namesIn(connection);
  const passedHeaders: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    const key = name.toLowerCase();
    if (!hopByHop.has(key) && !without.has(key) && !named.includes(key)) passedHeaders.push(name, value);
  }
  return passedHeaders;
};

const rewritten: ReadonlySet<string> = new Set([
  'via',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  // Named in `Connection` it would be removed, and it decides where the body ends.
  'content-length',
]);

const none: ReadonlySet<string> = new Set();

const bodyOf = ({ headers, method }: IncomingMessage): string[] => {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  if (headers['content-length'] !== undefined) return ['Content-Length', headers['content-length']];
  // Without either a request has no body (RFC 9112 section 6.3), and for these methods that is worth saying.
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? ['Content-Length', '0'] : [];
};

const joined = (before: string | string[] | undefined, own: string): string =>
  before === undefined || before.length === 0 ? own : `${String(before)}, ${own}`;

/** Builds a forwarded request's fields; appends to `X-Forwarded-For` and keeps an earlier proxy's scheme and host. */
export const requestHeaders = (request: IncomingMessage): string[] => {
  const { headers, rawHeaders, socket, httpVersion } = request;
  return [
    ...endToEnd(rawHeaders, headers.connection, rewritten),
    ...bodyOf(request),
    'X-Forwarded-For',
    joined(headers['x-forwarded-for'], socket.remoteAddress ?? 'unknown'),
    'X-Forwarded-Proto',
    String(headers['x-forwarded-proto'] ?? 'http'),
    ...(headers.host === undefined && headers['x-forwarded-host'] === undefined
      ? []
      : ['X-Forwarded-Host', String(headers['x-forwarded-host'] ?? headers.host)]),
    'Via',
    joined(headers.via, `${httpVersion} landfall`),
  ];
};

/** Builds the fields of a forwarded protocol upgrade. */
export const upgradeHeaders = (request: IncomingMessage): string[] => [
  ...requestHeaders(request),
  'Connection',
  'Upgrade',
  'Upgrade',
  request.headers.upgrade ?? '',
];

export const responseHeaders = ({ rawHeaders, headers }: IncomingMessage): string[] =>
  endToEnd(rawHeaders, headers.connection, none);
