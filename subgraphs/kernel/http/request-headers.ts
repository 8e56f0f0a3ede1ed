import type { IncomingHttpHeaders } from 'node:http';
import type { Ids } from '../core/ids.ts';
import type { Certificate } from './client-certificates.ts';

/** The part of Node's IncomingMessage that identifies the caller. */
interface Message {
  readonly headers: IncomingHttpHeaders;
  /** Alternating header names and values as received; only this form shows repeated headers. */
  readonly rawHeaders: readonly string[];
  readonly method?: string | undefined;
  /** Path and query as in the request line. */
  readonly url?: string | undefined;
}

/** Unverified statements of a request's headers, read before the headers are cleaned. */
export interface RequestHeaders {
  /** The client's GUID or ULID, else a new UUID (ruling 37). Always echoed. */
  readonly correlationId: string;
  /** Values of `x-tenant-id`, for comparison only (ruling 15). */
  readonly assertedTenants: readonly string[];
  readonly authorization: readonly string[];
  readonly csrf: string | undefined;
  readonly method: string;
  /** Path and query as in the request line. */
  readonly target: string;
  /** Every DPoP header (RFC 9449 4). */
  readonly dpop: readonly string[];
  /** The client certificate, of the connection or of a trusted proxy's header. */
  readonly certificate: Certificate | undefined;
}

export const correlationHeader = 'x-svc-correlation-id';
export const csrfHeader = 'x-landfall-csrf';

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// Crockford's base 32, 128 bits: the first of the 26 digits is at most 7.
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;

const claimsIdentity = (name: string): boolean =>
  name.startsWith('x-') &&
  (name === 'x-user-id' ||
    name === 'x-tenant-id' ||
    name === 'x-scopes' ||
    name.startsWith('x-svc-') ||
    name.startsWith('x-landfall-'));

/** All values of a header by its lower-case name, including removed ones. */
export const valuesOf = ({ rawHeaders }: Pick<Message, 'rawHeaders'>, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

const NONE: readonly string[] = [];

/** All values of a header that Node retained; fast for the common case of an absent header. */
export const presentValuesOf = (request: Pick<Message, 'headers' | 'rawHeaders'>, name: string): readonly string[] =>
  request.headers[name] === undefined ? NONE : valuesOf(request, name);

/** Reads a request's identity headers, and removes every header that could impersonate a caller (spec 5.4). */
export const readRequestHeaders = (request: Message, ids: Ids, certificate?: Certificate): RequestHeaders => {
  const { headers, method = 'GET', url = '/' } = request;
  const { 0: input, length: times } = presentValuesOf(request, correlationHeader);
  const isFit = input !== undefined && times === 1 && (guid.test(input) || ulid.test(input));
  const correlationId = isFit ? input : ids.uuid();
  const requestHeaders: RequestHeaders = {
    correlationId,
    assertedTenants: presentValuesOf(request, 'x-tenant-id'),
    authorization: presentValuesOf(request, 'authorization'),
    csrf: presentValuesOf(request, csrfHeader)[0],
    method,
    target: url,
    dpop: presentValuesOf(request, 'dpop'),
    certificate,
  };
  for (const name of Object.keys(headers)) if (claimsIdentity(name)) delete headers[name];
  headers[correlationHeader] = correlationId;
  return requestHeaders;
};
