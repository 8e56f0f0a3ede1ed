import { ServerError } from '@apollo/client/errors';

/** Signed-in person, as `GET /session` returns it. The cookie itself is out of reach of scripts. */
type Session = {
  readonly subject: string;
  readonly name: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  /** Sent as `x-landfall-csrf` with every request that may change something. */
  readonly csrf: string;
};

let current: Session | undefined;
let beforeLeaving = (): void => {};
let isLeaving = false;

export function session(): Session {
  if (current === undefined) throw new Error('The session is read before it was loaded.');
  return current;
}

/** Whether the user has a scope. Only for actions on no entity yet: an entity has its own `viewerCan…` fields. */
export const hasScope = (scope: string): boolean => session().scopes.has(scope);

/** Reads the session; without one, leaves for the sign-in page and never comes back. */
export async function signIn(): Promise<Session> {
  const answer = await fetch('/session', { headers: { accept: 'application/json' } });
  if (answer.status === 204 || answer.status === 401) return redirectToSignIn();
  if (!answer.ok)
    throw new ServerError('The session could not be read.', { response: answer, bodyText: await answer.text() });
  current = decode(await answer.json());
  return current;
}

/** Registers what to save when the session has ended and the page is left for the sign-in page. */
export function beforeSignIn(save: () => void): void {
  beforeLeaving = save;
}

/** Whether the page is being left for the sign-in page, which comes back to it. */
export const isSigningIn = (): boolean => isLeaving;

/** Goes once to the sign-in page, which comes back to this address. The promise never settles. */
export function redirectToSignIn(): Promise<never> {
  if (!isLeaving) {
    isLeaving = true;
    // The page may come again from the back/forward cache.
    const stay = (): void => {
      isLeaving = false;
    };
    addEventListener('pageshow', stay, { once: true });
    beforeLeaving();
    const back = `${location.pathname}${location.search}`;
    location.assign(`/session/sign-in?return=${encodeURIComponent(back)}`);
  }
  return new Promise<never>(() => {});
}

/** Ends the session here and at the authority, which comes back to the sign-in page. */
export async function signOut(): Promise<void> {
  await fetch('/session/sign-out', { method: 'POST', headers: { 'x-landfall-csrf': session().csrf } });
  location.assign('/session/signed-out');
}

/** Fetch that carries the session and notices its end. */
export const sessionFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('x-landfall-csrf', session().csrf);
  const answer = await fetch(input, { ...init, headers, credentials: 'same-origin' });
  return answer.status === 401 ? redirectToSignIn() : answer;
};

function decode(value: unknown): Session {
  const raw: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  const word = (name: string): string => {
    const found = raw[name];
    if (typeof found !== 'string') throw new Error(`The session has no ${name}.`);
    return found;
  };
  const scopes = Array.isArray(raw.scopes)
    ? raw.scopes.filter((scope): scope is string => typeof scope === 'string')
    : [];
  return {
    subject: word('subject'),
    name: word('name'),
    tenant: word('tenant'),
    csrf: word('csrf'),
    scopes: new Set(scopes),
  };
}
