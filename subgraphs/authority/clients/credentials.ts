import { Fault } from '@landfall/kernel/core/fault';
import type { Form } from '../protocol/form.ts';

export interface Credentials {
  readonly authorization: string | readonly string[] | undefined;
  readonly form: Form;
}

/** Client authentication methods (RFC 8414). */
export const AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'none',
] as const;

export type AuthMethod = (typeof AUTH_METHODS)[number];

export const isAuthMethod = (word: string): word is AuthMethod => AUTH_METHODS.some((method) => method === word);

/** Whether a client is public (RFC 6749 2.1): a script of a page, or a program on people's machines. */
export const isPublicClient = ({ authMethods }: { readonly authMethods: readonly string[] }): boolean =>
  authMethods.includes('none');

/** Client id and secret of a request. Without a secret the client authenticates by its certificate, or is public. */
export type PresentedCredentials =
  | {
      readonly clientId: string;
      readonly method: 'client_secret_basic' | 'client_secret_post';
      readonly secret: string;
    }
  | { readonly clientId: string; readonly method: 'without_secret' };

export const refusedClient = (message: string): Fault => new Fault('invalid_client', message);

/** Decodes a half of the pair, form-encoded before joining (RFC 6749 2.3.1): `+` is a space, `%3A` a colon. */
const decodePart = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));

const readBasic = (header: string): PresentedCredentials => {
  const encoded = /^basic +([\w+/-]+={0,2}) *$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw refusedClient('The Authorization header is no Basic credentials.');
  try {
    return {
      method: 'client_secret_basic',
      clientId: decodePart(text.slice(0, colon)),
      secret: decodePart(text.slice(colon + 1)),
    };
  } catch {
    throw refusedClient('The Basic credentials are not form-encoded.');
  }
};

/**
 * Reads the credentials of a client from the Authorization header or the form.
 * @throws Fault invalid_client (401), invalid_request (400) when two methods are used at once
 */
export const readCredentials = ({ authorization, form }: Credentials): PresentedCredentials => {
  const { client_id: clientId, client_secret: secret } = form;
  if (authorization === undefined) {
    if (clientId === undefined) throw refusedClient('The client must authenticate.');
    return secret === undefined
      ? { method: 'without_secret', clientId }
      : { method: 'client_secret_post', clientId, secret };
  }
  if (typeof authorization !== 'string')
    throw new Fault('invalid_request', 'There are several Authorization headers; send one.');
  if (secret !== undefined)
    throw new Fault('invalid_request', 'The client authenticates in two ways at once; use one.');
  const basic = readBasic(authorization);
  if (clientId !== undefined && clientId !== basic.clientId)
    throw new Fault('invalid_request', 'client_id is not the client that authenticates.');
  return basic;
};
