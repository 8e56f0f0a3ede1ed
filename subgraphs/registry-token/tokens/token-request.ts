import { Fault } from '@landfall/kernel/core/fault';
import type { Certificate } from '@landfall/kernel/http/client-certificates';

/** Token request to the realm, independent of its transport. */
export interface TokenRequest {
  readonly method: 'GET' | 'POST';
  /** The `Authorization` header; a list when there are several. */
  readonly authorization: string | readonly string[] | undefined;
  readonly dpop: string | readonly string[] | undefined;
  readonly certificate: Certificate | undefined;
  /** The query of GET, the form of POST. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  readonly requestId: string;
}

export interface RollbackInput {
  readonly accessToken: string;
  /** Whether it used the `DPoP` scheme (RFC 9449 7.1), which an unbound token may not. */
  readonly isDpopScheme: boolean;
}

const missing = (): Fault => new Fault('invalid_token', 'The request carries no access token.', { isAnonymous: true });

const malformed = (message: string): Fault => new Fault('invalid_token', message);

const valuesOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** The one value of a parameter. @throws Fault invalid_request when it is given twice */
const single = ({ parameters }: TokenRequest, name: string): string | undefined => {
  const [value, ...rest] = valuesOf(parameters[name]);
  if (rest.length > 0) throw new Fault('invalid_request', `The parameter ${name} is given more than once.`);
  return value === '' ? undefined : value;
};

/** Registry that a token is for: a name of limited length. */
export const serviceOf = (request: TokenRequest): string | undefined => {
  const service = single(request, 'service');
  if (service === undefined || /^[ -~]{1,255}$/.test(service)) return service;
  throw new Fault('invalid_request', 'The parameter service is too long or has characters that are not visible ASCII.');
};

/** Values of all `scope` parameters: docker repeats the parameter, others separate scopes by spaces. */
export const scopesOf = ({ parameters }: TokenRequest): readonly string[] => valuesOf(parameters.scope);

/** Basic with any name and the access token as password: what stock clients send for a login (RFC 7617). */
const fromBasic = (encoded: string): string => {
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw malformed('The Basic credentials cannot be read.');
  return text.slice(colon + 1);
};

const fromHeader = (request: TokenRequest): RollbackInput | undefined => {
  const [header, ...rest] = valuesOf(request.authorization);
  // A comma means several headers that a proxy has joined: no scheme that is accepted here contains one.
  if (rest.length > 0 || header?.includes(','))
    throw malformed('The request carries more than one Authorization header.');
  if (header === undefined) return undefined;
  const [, scheme = '', value = ''] = /^(bearer|dpop|basic) +([^ ]+)$/i.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { accessToken: value, isDpopScheme: false };
    case 'dpop':
      return { accessToken: value, isDpopScheme: true };
    case 'basic':
      return { accessToken: fromBasic(value), isDpopScheme: false };
    default:
      throw malformed('The Authorization header is neither Bearer, DPoP nor Basic.');
  }
};

/** Form fields with the access token, by grant: docker, containers, crane and oras. */
const PARAMETERS: Readonly<Record<string, string>> = { refresh_token: 'refresh_token', password: 'password' };

const fromForm = (request: TokenRequest): RollbackInput | undefined => {
  if (request.method !== 'POST') return undefined;
  const grant = single(request, 'grant_type');
  if (grant === undefined) return undefined;
  const name = PARAMETERS[grant];
  if (name === undefined)
    throw new Fault(
      'invalid_request',
      'grant_type must be refresh_token or password, with an access token as its value.',
    );
  const accessToken = single(request, name);
  return accessToken === undefined ? undefined : { accessToken, isDpopScheme: false };
};

/** Reads the access token of a request. Throws invalid_token without one, and invalid_request for two (RFC 6750 2). */
export const readCredentials = (request: TokenRequest): RollbackInput => {
  const [header, form] = [fromHeader(request), fromForm(request)];
  if (header && form)
    throw new Fault('invalid_request', 'The access token comes in the header or in the form, not in both.');
  const requested = header ?? form;
  if (!requested || requested.accessToken === '') throw missing();
  return requested;
};
