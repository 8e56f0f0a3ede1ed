import { isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { type Client, findAnywhere } from '../clients/clients.ts';
import { matchesRedirectUri } from '../clients/redirect-uris.ts';
import { type Form, readForm, valuesOf } from '../protocol/form.ts';
import { parseScopes, refusedScope, requestedScopes } from '../protocol/scopes.ts';
import { find as findTenant } from '../tenants/tenants.ts';
import type { ResourceIndicators } from './resource-indicators.ts';

/** Error codes that are returned by redirect (RFC 6749 4.1.2.1, RFC 8707 2, OpenID Connect Core 3.1.2.6). */
export type RedirectError =
  | 'access_denied'
  | 'consent_required'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'unauthorized_client'
  | 'unsupported_response_type';

/** Client and redirect address of an answer, verified before any redirect. */
export interface ReturnAddress {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** OpenID Connect Core 3.1.2.1. */
const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof PROMPTS)[number];

/** Parameters of a request, from its query or pushed before (RFC 9126). */
export interface Parameters {
  readonly form: Form;
  /** RFC 8707: the one parameter that may come several times. */
  readonly resources: readonly string[];
}

/** Content of a valid request: requirements on the sign-in and on the code. */
interface RequestedAuthorization {
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly nonce: string | null;
  readonly resources: readonly string[];
  /** The only key that may redeem the code (RFC 9449 10). */
  readonly dpopJkt: string | null;
  readonly prompts: readonly Prompt[];
  readonly maxAgeMs: number | undefined;
  readonly loginHint: string;
}

/** Valid request: a code may answer it once a person has signed in. */
export interface AuthorizationRequest extends ReturnAddress, RequestedAuthorization {
  readonly kind: 'authorization';
  /** The query of each page of this request. */
  readonly search: string;
  /** Only person the code may be issued for: the subject of `id_token_hint` (OpenID Connect Core 3.1.2.1). */
  readonly hintedSubject: string | undefined;
  /** The hash of the `request_uri` that it was pushed under. */
  readonly pushed: Buffer | undefined;
}

export interface Refusal {
  readonly error: RedirectError;
  readonly description: string;
}

/** Finds the client and its registered redirect address; without one the answer never redirects (RFC 9700 4.11). */
export const findReturnAddress = async (
  { database }: Pick<Deps, 'database'>,
  { client_id: clientId = '', redirect_uri: redirectUri = '', state }: Form,
): Promise<ReturnAddress | undefined> => {
  if (!isId(clientId, 'Client')) return undefined;
  const client = await database.system.read(async (query) => {
    const found = await findAnywhere(query, clientId);
    return found?.active && (await findTenant(query, found.tenant))?.active ? found : undefined;
  });
  if (!client?.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))) return undefined;
  return { client, redirectUri, state };
};

/** Parameters of a query; only `resource` may repeat (RFC 8707 2). */
export const readParameters = (query: unknown): Parameters => ({
  form: readForm(query),
  resources: valuesOf(query, 'resource'),
});

export const searchOf = ({ form, resources }: Parameters): string =>
  String(
    new URLSearchParams([...Object.entries(form), ...resources.map((one): [string, string] => ['resource', one])]),
  );

const refuse = (error: RedirectError, description: string): Refusal => ({ error, description });

/** S256 is 32 bytes in base64url (RFC 7636 4.2); so is a thumbprint (RFC 7638). */
const SHA256 = /^[\w-]{43}$/;
const MAX_LENGTH = { state: 2_000, nonce: 200, login_hint: 200 } as const;

const isPrompt = (word: string): word is Prompt => PROMPTS.some((prompt) => prompt === word);

const promptsIn = (prompt: string | undefined): readonly string[] => parseScopes(prompt ?? '');

const promptFault = (form: Form): Refusal | undefined => {
  const prompts = promptsIn(form.prompt);
  if (!prompts.every(isPrompt)) return refuse('invalid_request', `prompt is one or more of ${PROMPTS.join(', ')}.`);
  if (prompts.includes('none') && prompts.length > 1)
    return refuse('invalid_request', 'prompt=none excludes every other prompt.');
  return undefined;
};

/** First fault of the code's binding parameters. */
const bindingFault = (form: Form): Refusal | undefined => {
  if (form.code_challenge_method !== 'S256' || !SHA256.test(form.code_challenge ?? ''))
    return refuse('invalid_request', 'A code_challenge with code_challenge_method=S256 is required.');
  if (form.dpop_jkt !== undefined && !SHA256.test(form.dpop_jkt))
    return refuse('invalid_request', 'dpop_jkt is the SHA-256 thumbprint of a key (RFC 7638).');
  const long = (['state', 'nonce', 'login_hint'] as const).find((name) => (form[name] ?? '').length > MAX_LENGTH[name]);
  if (long !== undefined) return refuse('invalid_request', `${long} is too long.`);
  if (form.max_age !== undefined && !/^\d{1,9}$/.test(form.max_age))
    return refuse('invalid_request', 'max_age is a number of seconds.');
  return undefined;
};

const formFault = ({ client }: ReturnAddress, form: Form): Refusal | undefined => {
  if (form.request !== undefined) return refuse('request_not_supported', 'Request objects are not offered.');
  if (form.request_uri !== undefined)
    return refuse('request_uri_not_supported', 'Only a request_uri that this authority gave out is taken.');
  if (form.response_type === undefined) return refuse('invalid_request', 'response_type is required.');
  if (form.response_type !== 'code') return refuse('unsupported_response_type', 'The only response_type is code.');
  if ((form.response_mode ?? 'query') !== 'query') return refuse('invalid_request', 'The only response_mode is query.');
  if (!client.grants.includes('authorization_code'))
    return refuse('unauthorized_client', 'The client is not registered for authorization_code.');
  return undefined;
};

const targetFault = (
  { client }: ReturnAddress,
  resources: readonly string[],
  allowsResource: ResourceIndicators['allowsResource'],
): Refusal | undefined =>
  resources.length > 20 || !resources.every((resource) => allowsResource(client, resource))
    ? refuse('invalid_target', 'A resource is not an absolute address without a fragment, or is not this client’s.')
    : undefined;

const scopeFault = ({ client }: ReturnAddress, scopes: readonly string[]): Refusal | undefined => {
  if (scopes.length === 0) return refuse('invalid_scope', 'The authority knows none of the scopes asked for.');
  return refusedScope(scopes, client.scopes) === undefined
    ? undefined
    : refuse('invalid_scope', 'A scope is not this client’s.');
};

/** Reads the parameters, or returns the first fault. */
export const readAuthorization = (
  to: ReturnAddress,
  { form, resources }: Parameters,
  allowsResource: ResourceIndicators['allowsResource'],
): RequestedAuthorization | Refusal => {
  const scopes = form.scope === undefined ? to.client.scopes : requestedScopes(form.scope);
  const fault =
    formFault(to, form) ??
    bindingFault(form) ??
    promptFault(form) ??
    targetFault(to, resources, allowsResource) ??
    scopeFault(to, scopes);
  if (fault) return fault;
  return {
    scopes,
    challenge: form.code_challenge ?? '',
    nonce: form.nonce ?? null,
    resources,
    dpopJkt: form.dpop_jkt ?? null,
    prompts: promptsIn(form.prompt).filter(isPrompt),
    maxAgeMs: form.max_age === undefined ? undefined : Number(form.max_age) * 1000,
    loginHint: form.login_hint ?? '',
  };
};
