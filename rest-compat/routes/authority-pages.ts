import type { Authority, BrowserAnswer, BrowserRequest } from '@landfall/authority';
import { oauth } from '@landfall/kernel/routes/dialects/oauth';
import { protocolRoute, type Route, type RouteRequest } from '@landfall/kernel/routes/route';
import Type, { type TProperties } from 'typebox';

const text = Type.String();
const optional = Type.Optional(text);

const common = { module: 'authority', dialect: oauth } as const;
const post = { ...common, method: 'POST', accepts: 'form', bodyLimit: 64 * 1024 } as const;
const get = { ...common, method: 'GET', hasNoHead: true } as const;

/** Request of a browser, without headers that only clients send. */
const browserRequest = ({ query, body, headers, address, requestId }: RouteRequest): BrowserRequest => ({
  query,
  body,
  cookie: typeof headers.cookie === 'string' ? headers.cookie : undefined,
  address,
  requestId,
  userAgent: typeof headers['user-agent'] === 'string' ? headers['user-agent'] : undefined,
});

/** Page of the authority and the handler of its form. */
export interface Page {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly query?: TProperties;
  readonly body?: TProperties;
  readonly answer: (request: BrowserRequest) => Promise<BrowserAnswer>;
}

export const browserRoute = ({ method, path, summary, query, body, answer }: Page): Route =>
  protocolRoute({
    ...(method === 'POST' ? post : get),
    path,
    summary,
    schemas: {
      ...(query && { query: Type.Object(query) }),
      ...(body && { body: Type.Object(body) }),
      response: { 200: text, 303: Type.Null(), 400: text },
    },
    handle: async (request) => answer(browserRequest(request)),
  });

/** Either all of the request, or `client_id` and the `request_uri` that it was pushed under (RFC 9126 4). */
const authorizationQuery = {
  client_id: text,
  request_uri: optional,
  response_type: optional,
  response_mode: optional,
  redirect_uri: optional,
  code_challenge: optional,
  code_challenge_method: optional,
  scope: optional,
  state: optional,
  nonce: optional,
  prompt: optional,
  max_age: optional,
  login_hint: optional,
  id_token_hint: optional,
  resource: Type.Optional(Type.Array(text)),
  dpop_jkt: optional,
};
/** A sign-in for a client, or for a page of the authority itself. */
const signInQuery = { ...authorizationQuery, client_id: optional, to: optional, page: optional, user_code: optional };
const endSessionQuery = { id_token_hint: optional, post_logout_redirect_uri: optional, state: optional };

const signInPages = ({ signIn, secondFactor, consent }: Authority['pages']): Page[] => [
  {
    method: 'POST',
    path: '/authorize',
    summary: 'The same request in a form (OpenID Connect Core 3.1.2.1): answered with its address.',
    body: authorizationQuery,
    answer: signIn.fromForm,
  },
  {
    method: 'GET',
    path: '/authorize',
    summary: 'An authorization code, or the sign-in page (RFC 6749 4.1, RFC 7636, RFC 9126).',
    query: authorizationQuery,
    answer: signIn.authorize,
  },
  {
    method: 'GET',
    path: '/sign-in',
    summary: 'The sign-in page, reloaded or for a page of the authority itself.',
    query: signInQuery,
    answer: signIn.authorize,
  },
  {
    method: 'POST',
    path: '/sign-in',
    summary: 'The form of the sign-in page.',
    query: signInQuery,
    body: {
      csrf: text,
      username: optional,
      password: optional,
      via: optional,
      passkey: optional,
      passkey_ticket: optional,
    },
    answer: signIn.submit,
  },
  {
    method: 'GET',
    path: '/sign-in/second-factor',
    summary: 'Asks for the second factor, after the first one.',
    query: signInQuery,
    answer: secondFactor.show,
  },
  {
    method: 'POST',
    path: '/sign-in/second-factor',
    summary: 'The form of the second factor.',
    query: signInQuery,
    body: { csrf: text, code: text },
    answer: secondFactor.submit,
  },
  {
    method: 'GET',
    path: '/consent',
    summary: 'Asks whether a client may have what it asks for.',
    query: authorizationQuery,
    answer: consent.show,
  },
  {
    method: 'POST',
    path: '/consent',
    summary: 'Allows or denies it.',
    query: authorizationQuery,
    body: { csrf: text, decision: text, shown: optional },
    answer: consent.decide,
  },
];

const otherPages = ({ signOut, devices, accountLink }: Authority['pages']): Page[] => [
  {
    method: 'GET',
    path: '/device',
    summary: 'Asks for the code that a device shows, or shows what it would allow (RFC 8628 3.3).',
    query: { user_code: optional },
    answer: devices.show,
  },
  {
    method: 'POST',
    path: '/device',
    summary: 'The code, or the answer to the device.',
    body: { csrf: text, user_code: text, decision: optional, shown: optional },
    answer: devices.submit,
  },
  {
    method: 'GET',
    path: '/account-link',
    summary: 'Page on which an invited or reset person chooses a password.',
    query: { token: optional },
    answer: accountLink.show,
  },
  {
    method: 'POST',
    path: '/account-link',
    summary: 'Sets the password, once.',
    body: { csrf: text, password: text, repeated: text },
    answer: accountLink.submit,
  },
  {
    method: 'GET',
    path: '/end-session',
    summary: 'Signs out (OpenID Connect RP-Initiated Logout).',
    query: endSessionQuery,
    answer: signOut.ask,
  },
  {
    method: 'POST',
    path: '/end-session',
    summary: 'The form of the sign-out page.',
    body: { csrf: text },
    answer: signOut.confirm,
  },
];

/** A provider that a tenant trusts sends people back to an address of its own (OpenID Connect Core 3.1.2.5). */
const providerCallback = ({ federation }: Authority): Route =>
  protocolRoute({
    ...get,
    path: '/federation/callback/:id',
    summary: 'Callback to which an identity provider returns a person.',
    schemas: {
      params: Type.Object({ id: text }),
      query: Type.Object({
        code: optional,
        state: optional,
        iss: optional,
        error: optional,
        error_description: optional,
      }),
      response: { 303: Type.Null(), 400: text, 403: text, 503: text },
    },
    handle: async (request) => federation.callback(browserRequest(request), request.params.id ?? ''),
  });

/** The pages by which people sign in and out, allow clients and devices, and choose passwords. */
export const authorityPages = (authority: Authority): Route[] => [
  ...[...signInPages(authority.pages), ...otherPages(authority.pages)].map(browserRoute),
  providerCallback(authority),
];
