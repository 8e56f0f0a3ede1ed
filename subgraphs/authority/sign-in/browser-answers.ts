import { STYLE_SOURCE } from './style.ts';

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface BrowserRequest {
  readonly query: unknown;
  readonly body: unknown;
  readonly cookie: string | undefined;
  /** The peer's address, for the back-off. */
  readonly address: string;
  /** User agent, for the list of sessions. */
  readonly userAgent?: string | undefined;
  readonly requestId: string;
}

const GUARDS = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

interface PageOptions {
  /** Origins that forms of the page may lead to, redirects included. */
  readonly formTargets?: readonly string[];
  /** Whether the page loads the passkey script. */
  readonly hasScript?: boolean;
  readonly setCookie?: string;
  readonly retryAfterSeconds?: number;
}

/** CSP source for the redirect target of a form's answer: the origin, or the scheme of a custom URI. */
export const formTarget = (uri: string): string => {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
};

/** HTML response under a policy that loads and runs nothing and forbids framing (CSP 3). */
export const pageAnswer = (status: number, body: string, options: PageOptions = {}): BrowserAnswer => {
  const { formTargets = [], hasScript = false, setCookie, retryAfterSeconds } = options;
  const forms = formTargets.length === 0 ? "'none'" : formTargets.join(' ');
  const scripts = hasScript ? " script-src 'self'; connect-src 'self';" : '';
  return {
    status,
    headers: {
      ...GUARDS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE};${scripts} form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      ...(setCookie !== undefined && { 'set-cookie': setCookie }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body,
  };
};

/** Redirects by 303, so that a posted password is never re-sent (RFC 9700 4.12). */
export const redirectAnswer = (
  location: string,
  setCookie?: string,
  referrerPolicy: 'same-origin' | 'no-referrer' = 'same-origin',
): BrowserAnswer => ({
  status: 303,
  headers: {
    ...GUARDS,
    'referrer-policy': referrerPolicy,
    location,
    ...(setCookie !== undefined && { 'set-cookie': setCookie }),
  },
  body: '',
});

/** Adds query parameters to `uri` (RFC 6749 3.1.2). */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
};
