import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import { quotable } from '@landfall/kernel/routes/dialects/quotable';
import {
  type AuthorizationRequest,
  findReturnAddress,
  type Parameters,
  type Prompt,
  type Refusal,
  type ReturnAddress,
  readAuthorization,
  readParameters,
  searchOf,
} from '../authorization/authorization-request.ts';
import * as pushedRequests from '../authorization/pushed-requests.ts';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import type { Form } from '../protocol/form.ts';
import { hashSecret } from '../protocol/opaque-secrets.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { IdTokenIssuer } from '../tokens/id-tokens.ts';
import {
  type BrowserAnswer,
  type BrowserRequest,
  pageAnswer,
  redirectAnswer,
  withParameters,
} from './browser-answers.ts';
import type { Cookies } from './cookies.ts';
import { refusalPage } from './pages/notices.ts';

/** Sign-in for a page of our own: the account, or a device's code. */
interface Visit {
  readonly kind: 'visit';
  readonly search: string;
  /** Path and name of the page. */
  readonly path: string;
  readonly name: string;
  readonly prompts: readonly Prompt[];
  readonly maxAgeMs: number | undefined;
  readonly loginHint: string;
}

/** Request that a sign-in is for, read for each page from the query in `search`. */
export type SignInRequest = AuthorizationRequest | Visit;

interface Ports extends Pick<Deps, 'database'> {
  readonly cookies: Cookies;
  readonly resourceIndicators: Pick<ResourceIndicators, 'allowsResource'>;
  readonly idTokens: Pick<IdTokenIssuer, 'readHint'>;
}

/** Maximum age of a sign-in that may change authentication methods. */
const ACCOUNT_MAX_AGE_MS = 900_000;

const refusal = (error: Refusal['error'], description: string): Refusal => ({ error, description });

const UNKNOWN_CLIENT = 'The application that sent you here, or the address it wants you back at, is not registered.';
const USED_REQUEST =
  'The request that brought you here was used already, is too old, or was opened in another browser.';

/** Pages of the account, by name: an address from a request is never followed. */
const ACCOUNT_PAGES = ['password', 'second-factor', 'passkeys', 'sessions', 'applications'];

const accountOf = (page: string): Pick<Visit, 'search' | 'path'> =>
  ACCOUNT_PAGES.includes(page)
    ? { search: `to=account&page=${page}`, path: `/account/${page}` }
    : { search: 'to=account', path: '/account' };

/** Internal destination of a form by its name; an address from a request is never followed. */
const visitOf = (form: Form): Visit | undefined => {
  const { to, page = '', user_code: userCode } = form;
  const common = { kind: 'visit', prompts: [], loginHint: '' } as const;
  if (to === 'account') return { ...common, ...accountOf(page), name: 'your account', maxAgeMs: ACCOUNT_MAX_AGE_MS };
  if (to !== 'device') return undefined;
  const code = userCode === undefined ? '' : `user_code=${encodeURIComponent(userCode.slice(0, 40))}`;
  return { ...common, search: `to=device&${code}`, path: `/device?${code}`, name: 'your device', maxAgeMs: undefined };
};

export const createRequests = (ports: Ports, settings: AuthoritySettings) => {
  const { database, cookies, idTokens } = ports;
  const { allowsResource } = ports.resourceIndicators;
  const refuse = (status: number, reason: string): BrowserAnswer => pageAnswer(status, refusalPage(reason, settings));

  /** Redirects to the client with `iss` (RFC 9207). */
  const sendBack = (
    { redirectUri, state }: ReturnAddress,
    parameters: Readonly<Record<string, string>>,
    setCookie?: string,
  ): BrowserAnswer =>
    redirectAnswer(withParameters(redirectUri, { ...parameters, state, iss: settings.issuer }), setCookie);

  const sendRefusal = (to: ReturnAddress, { error, description }: Refusal, setCookie?: string): BrowserAnswer =>
    sendBack(to, { error, error_description: quotable(description) }, setCookie);

  /** Claims the pushed request for this browser. */
  const findPushed = async ({ form }: Parameters, cookie: string | undefined) => {
    const { client_id: clientId, request_uri: requestUri = '' } = form;
    const browser = cookies.formValue(cookie);
    if (!requestUri.startsWith(pushedRequests.URN) || browser === undefined) return undefined;
    const hash = hashSecret(requestUri.slice(pushedRequests.URN.length));
    const found = await database.system.write((tx) => pushedRequests.claim(tx, hash, hashSecret(browser)));
    return found && found.clientId === clientId ? { hash, parameters: found.parameters } : undefined;
  };

  /** Subject of the client's `id_token_hint`. */
  const readHint = async ({ client }: ReturnAddress, { id_token_hint: token }: Form) => {
    if (token === undefined) return { subject: undefined };
    const hint = await idTokens.readHint(token);
    return hint?.clientId === client.id
      ? { subject: hint.subject }
      : refusal('invalid_request', 'id_token_hint is no ID token that was issued to this client.');
  };

  const read = async (params: Parameters, request: BrowserRequest): Promise<BrowserAnswer | AuthorizationRequest> => {
    const isPushed = params.form.request_uri?.startsWith(pushedRequests.URN) ?? false;
    const pushed = isPushed ? await findPushed(params, request.cookie) : undefined;
    if (isPushed && !pushed) return refuse(400, USED_REQUEST);
    const parameters = pushed?.parameters ?? params;
    const to = await findReturnAddress({ database }, parameters.form);
    if (!to) return refuse(400, UNKNOWN_CLIENT);
    if (to.client.requiresPar && !pushed)
      return sendRefusal(to, {
        error: 'invalid_request',
        description: 'This client must push its requests to /par first (RFC 9126).',
      });
    const asked = readAuthorization(to, parameters, allowsResource);
    if ('error' in asked) return sendRefusal(to, asked);
    const hint = await readHint(to, parameters.form);
    if ('error' in hint) return sendRefusal(to, hint);
    const { client_id = '', request_uri = '' } = params.form;
    const search = pushed ? String(new URLSearchParams({ client_id, request_uri })) : searchOf(params);
    return { kind: 'authorization', ...to, ...asked, search, hintedSubject: hint.subject, pushed: pushed?.hash };
  };

  /** Answers a malformed form with a page. */
  const guarded = async (go: () => Promise<BrowserAnswer>): Promise<BrowserAnswer> => {
    try {
      return await go();
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid_request') return refuse(400, error.message);
      throw error;
    }
  };

  return {
    refuse,
    guarded,
    sendBack,
    sendRefusal,
    /** Reads the request from the query and passes it on, or answers with the reason for refusal. */
    withRequest: (
      request: BrowserRequest,
      go: (request: SignInRequest) => Promise<BrowserAnswer>,
    ): Promise<BrowserAnswer> =>
      guarded(async () => {
        const parameters = readParameters(request.query);
        const visit = visitOf(parameters.form);
        if (visit) return go(visit);
        const asked = await read(parameters, request);
        return 'kind' in asked ? go(asked) : asked;
      }),
  };
};

export type Requests = ReturnType<typeof createRequests>;
