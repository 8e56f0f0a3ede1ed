import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@landfall/kernel/clock';
import type { Secrets } from '@landfall/kernel/secrets';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { listCookies, readCookie } from './cookies.ts';

const content = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  /** Where to go when it is done: a path of this origin. */
  back: Type.String(),
  /** Milliseconds since 1970. */
  at: Type.Integer(),
});

/** A sign-in under way. The browser carries it, sealed, in a cookie of its own, so that several tabs can sign in. */
export type Pending = Static<typeof content>;

/** How long a person may take at the sign-in page, in seconds. */
export const PENDING_SECONDS = 1_800;

const validator = Compile(content);
const isPending = (value: unknown): value is Pending => validator.Check(value);

const SEALED_AS = 'session/sign-in';

interface Opening {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

const random = (): string => randomBytes(32).toString('base64url');

export const newPending = (back: string, clock: Clock): Pending => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  back: back.length > MAX_BACK ? '/' : back,
  at: clock.now().getTime(),
});

/** RFC 7636 4.2. */
export const challengeOf = ({ verifier }: Pending): string => createHash('sha256').update(verifier).digest('base64url');

const COOKIE_PREFIX = 'landfall-sign-in-';

export const pendingCookieName = (state: string): string => COOKIE_PREFIX + state.slice(0, 16);

/**
 * Sign-ins of one browser that may be unfinished at once. Their cookies go with every request to `/session`, whose header
 * Node refuses with 431 above 16 KiB: eight of the longest cookies are 9 KiB.
 */
export const MAX_PENDING = 8;

/** A longer way back would let few cookies fill the header of a request. */
const MAX_BACK = 500;

export const sealPending = (pending: Pending, secrets: Secrets): string =>
  secrets.seal('', SEALED_AS, JSON.stringify(pending)).toString('base64url');

/** Opens a cookie's value, unless it is not ours or its sign-in began too long ago. */
const openSealed = (sealed: string, { secrets, clock }: Opening): Pending | undefined => {
  try {
    const pending: unknown = JSON.parse(secrets.open('', SEALED_AS, Buffer.from(sealed, 'base64url')).toString());
    return isPending(pending) && clock.now().getTime() - pending.at < PENDING_SECONDS * 1_000 ? pending : undefined;
  } catch {
    return undefined;
  }
};

/** The sign-in that `state` began in this browser, unless it was too long ago. */
export const openPending = (cookies: string | undefined, state: string, opening: Opening): Pending | undefined => {
  const sealed = readCookie(cookies, pendingCookieName(state));
  const pending = sealed === undefined ? undefined : openSealed(sealed, opening);
  return pending?.state === state ? pending : undefined;
};

/** Names of the cookies to remove before one more sign-in begins: the unreadable, the expired, then the oldest. */
export const surplusPending = (cookies: string | undefined, opening: Opening): readonly string[] =>
  listCookies(cookies, COOKIE_PREFIX)
    .map(({ name, value }) => ({ name, at: openSealed(value, opening)?.at ?? 0 }))
    // Browsers send the oldest cookie of a path first (RFC 6265 5.4): that decides between two of one millisecond.
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .filter(({ at }, index) => at === 0 || index >= MAX_PENDING - 1)
    .map(({ name }) => name);

const HERE = 'http://here.invalid';

/** A path of this origin, or the start page: never another site, however a browser reads it. */
export const localPath = (given: unknown): string => {
  const url = typeof given === 'string' && given.startsWith('/') ? URL.parse(given, HERE) : null;
  // Dots may normalise to a second slash in front, which would name a host.
  return url && url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : '/';
};
