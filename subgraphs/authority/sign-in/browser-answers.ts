import { STYLE_SOURCE } from './style.ts';

/** What a browser is answered: bytes and headers, for the door to send. */
export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a browser asks. */
export interface BrowserRequest {
  readonly query: unknown;
  readonly body: unknown;
  readonly cookie: string | undefined;
  /** The peer's address, for the back-off. */
  readonly address: string;
  /** What the browser calls itself, for the list of sessions. */
  readonly userAgent?: string | undefined;
  readonly requestId: string;
}

const GUARDS = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

interface PageOptions {
  /** Where a form of the page may lead: its own origin, and what that redirects to. */
  readonly formTargets?: readonly string[];
  /** The page loads the one script of ours: passkeys work in no other way. */
  readonly hasScript?: boolean;
  readonly setCookie?: string;
  readonly retryAfterSeconds?: number;
}

/** The source expression of an address that a form's answer leads to: an application's own scheme has no origin. */
export const formTarget = (uri: string): string => {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
};

/** A page that may load nothing, run nothing and be framed by nobody (CSP 3). */
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

/** 303, so that a posted password is never posted on (RFC 9700 4.12). */
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

/** `uri` with more parameters; what it has already stays as it is (RFC 6749 3.1.2). */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
};
