import { isId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import { type Client, findAnywhere } from '../clients/clients.store.ts';
import { refusedScope, scopeWords } from '../scopes.ts';
import type { Form } from '../tokens/form.ts';

/** The names that RFC 6749 4.1.2.1 and OpenID Connect Core 3.1.2.6 give to what goes back by redirect. */
export type RedirectError =
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'unauthorized_client'
  | 'unsupported_response_type';

/** Where an answer may be sent: checked before anything is sent anywhere. */
export interface ReturnAddress {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** A request that may be answered with a code, once somebody has signed in. */
export interface AuthorizationRequest extends ReturnAddress {
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly nonce: string | null;
  readonly mustSignIn: boolean;
  readonly mayAsk: boolean;
  /** How old a sign-in may be. */
  readonly maxAgeMs: number | undefined;
}

export interface Refusal {
  readonly error: RedirectError;
  readonly description: string;
}

/** The client and its registered address, or nothing: then nobody is redirected anywhere (RFC 9700 4.11). */
export const findReturnAddress = async (
  { database }: Pick<Deps, 'database'>,
  { client_id: clientId = '', redirect_uri: redirectUri = '', state }: Form,
): Promise<ReturnAddress | undefined> => {
  if (!isId(clientId, 'Client')) return undefined;
  const client = await database.system.read((query) => findAnywhere(query, clientId));
  if (!client?.active || !client.redirectUris.includes(redirectUri)) return undefined;
  return { client, redirectUri, state };
};

const refuse = (error: RedirectError, description: string): Refusal => ({ error, description });

/** S256 is 32 bytes in base64url (RFC 7636 4.2). */
const CHALLENGE = /^[\w-]{43}$/;
const LONGEST = { state: 2_000, nonce: 200 } as const;

/** The first thing that is wrong with a request whose answer may be redirected. */
const faultOf = ({ client }: ReturnAddress, form: Form, scopes: readonly string[]): Refusal | undefined => {
  if (form.request !== undefined) return refuse('request_not_supported', 'Request objects are not offered.');
  if (form.request_uri !== undefined) return refuse('request_uri_not_supported', 'request_uri is not offered.');
  if (form.response_type === undefined) return refuse('invalid_request', 'response_type is required.');
  if (form.response_type !== 'code') return refuse('unsupported_response_type', 'The only response_type is code.');
  if ((form.response_mode ?? 'query') !== 'query') return refuse('invalid_request', 'The only response_mode is query.');
  if (!client.grants.includes('authorization_code'))
    return refuse('unauthorized_client', 'The client is not registered for authorization_code.');
  if (form.code_challenge_method !== 'S256' || !CHALLENGE.test(form.code_challenge ?? ''))
    return refuse('invalid_request', 'A code_challenge with code_challenge_method=S256 is required.');
  if ((form.nonce ?? '').length > LONGEST.nonce || (form.state ?? '').length > LONGEST.state)
    return refuse('invalid_request', 'nonce or state is too long.');
  if (form.max_age !== undefined && !/^\d{1,9}$/.test(form.max_age))
    return refuse('invalid_request', 'max_age is a number of seconds.');
  const refused = refusedScope(scopes, client.scopes);
  return refused === undefined ? undefined : refuse('invalid_scope', 'A scope is unknown or not this client’s.');
};

/** What is asked for, or why it is refused. */
export const readRequest = (to: ReturnAddress, form: Form): AuthorizationRequest | Refusal => {
  const scopes = form.scope === undefined ? to.client.scopes : scopeWords(form.scope);
  const fault = faultOf(to, form, scopes);
  if (fault) return fault;
  const prompts = (form.prompt ?? '').split(' ');
  return {
    ...to,
    scopes,
    challenge: form.code_challenge ?? '',
    nonce: form.nonce ?? null,
    mustSignIn: prompts.includes('login'),
    mayAsk: !prompts.includes('none'),
    maxAgeMs: form.max_age === undefined ? undefined : Number(form.max_age) * 1000,
  };
};
