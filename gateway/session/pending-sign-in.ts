import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@landfall/kernel/core/clock';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { listCookies, readCookie } from './cookies.ts';

const content = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  /** Path of this origin to return to after sign-in. */
  back: Type.String(),
  /** Milliseconds since 1970. */
  at: Type.Integer(),
});

/** A sign-in under way. The browser carries it, sealed, in one of eight cookies, so that several tabs can sign in. */
export type PendingSignIn = Static<typeof content>;

/** Time limit for the sign-in page, in seconds. */
export const PENDING_SECONDS = 1_800;

const validator = Compile(content);
const isPending = (value: unknown): value is PendingSignIn => validator.Check(value);

const SEALED_AS = 'session/sign-in';

interface Opening {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

const random = (): string => randomBytes(32).toString('base64url');

/**
 * Sign-ins of one browser that may be unfinished at once. Their cookies go with every request to `/session`, whose header
 * Node refuses with 431 above 16 KiB: eight of the longest cookies are 8.5 KiB.
 */
export const MAX_PENDING = 8;

/** A longer way back, as JSON has it, would let few cookies fill the header of a request. */
const MAX_BACK = 500;

/** A sign-in that lives in the cookie number `slot`; its state says which. */
export const newPending = (back: string, slot: number, clock: Clock): PendingSignIn => ({
  state: `${slot}${random()}`,
  nonce: random(),
  verifier: random(),
  back: JSON.stringify(back).length > MAX_BACK ? '/' : back,
  at: clock.now().getTime(),
});

/** RFC 7636 4.2. */
export const challengeOf = ({ verifier }: PendingSignIn): string =>
  createHash('sha256').update(verifier).digest('base64url');

const COOKIE_PREFIX = 'landfall-sign-in-';

/** Names that are fixed: tabs that open at once know nothing of each other's cookies, and still leave no more than these. */
const COOKIE_NAMES: readonly string[] = Array.from({ length: MAX_PENDING }, (_, slot) => `${COOKIE_PREFIX}${slot}`);

/** The cookie in which the sign-in of `state` lives; a state that is none of ours has a name that nobody has. */
export const pendingCookieName = (state: string): string => `${COOKIE_PREFIX}${state.slice(0, 1)}`;

export const sealPending = (pending: PendingSignIn, secrets: Secrets): string =>
  secrets.seal('', SEALED_AS, JSON.stringify(pending)).toString('base64url');

/** Opens a cookie's value, unless it is not ours or its sign-in began too long ago. */
const openSealed = (sealed: string, { secrets, clock }: Opening): PendingSignIn | undefined => {
  try {
    const pending: unknown = JSON.parse(secrets.open('', SEALED_AS, Buffer.from(sealed, 'base64url')).toString());
    return isPending(pending) && clock.now().getTime() - pending.at < PENDING_SECONDS * 1_000 ? pending : undefined;
  } catch {
    return undefined;
  }
};

/** The sign-in that `state` began in this browser, unless it was too long ago. */
export const openPending = (
  cookies: string | undefined,
  state: string,
  opening: Opening,
): PendingSignIn | undefined => {
  const sealed = readCookie(cookies, pendingCookieName(state));
  const pending = sealed === undefined ? undefined : openSealed(sealed, opening);
  return pending?.state === state ? pending : undefined;
};

/**
 * The number of the cookie in which one more sign-in lives: one that is empty, unreadable or expired, else that of the
 * oldest.
 * @param turn counts sign-ins, so that tabs that open at once, and all see the same cookies, take different ones
 */
export const chooseSlot = (cookies: string | undefined, turn: number, opening: Opening): number => {
  const begun = COOKIE_NAMES.map((name) => openSealed(readCookie(cookies, name) ?? '', opening)?.at ?? 0);
  const oldest = Math.min(...begun);
  const slots = begun.flatMap((at, slot) => (at === oldest ? [slot] : []));
  return slots[turn % slots.length] ?? 0;
};

/** Names of sign-in cookies that we do not use: they would only make every request longer. */
export const strayPending = (cookies: string | undefined): readonly string[] =>
  listCookies(cookies, COOKIE_PREFIX)
    .map(({ name }) => name)
    .filter((name) => !COOKIE_NAMES.includes(name));

const HERE = 'http://here.invalid';

/** A path of this origin, or the start page: never another site, however a browser reads it. */
export const localPath = (given: unknown): string => {
  const url = typeof given === 'string' && given.startsWith('/') ? URL.parse(given, HERE) : null;
  // Dots may normalise to a second slash in front, which would name a host.
  return url && url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : '/';
};
