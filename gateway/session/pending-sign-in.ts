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
  /** Start in milliseconds since 1970. */
  at: Type.Integer(),
});

/** Unfinished sign-in. The browser carries it, sealed, in one of eight cookies, so that several tabs can sign in. */
export type PendingSignIn = Static<typeof content>;

/** Time limit for the sign-in page in seconds. */
export const PENDING_SECONDS = 1_800;

const validator = Compile(content);
const isPending = (value: unknown): value is PendingSignIn => validator.Check(value);

const SEALED_AS = 'session/sign-in';

interface Opening {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

const random = (): string => randomBytes(32).toString('base64url');

/** Limit of unfinished sign-ins in one browser: eight of the longest cookies fit Node's limit of 16 KiB of headers. */
export const MAX_PENDING = 8;

/** Longest return path in JSON characters: longer ones would fill the header with few cookies. */
const MAX_BACK = 500;

/** Creates a sign-in for the cookie number `slot`, which its state contains. */
export const newPending = (back: string, slot: number, clock: Clock): PendingSignIn => ({
  state: `${slot}${random()}`,
  nonce: random(),
  verifier: random(),
  back: JSON.stringify(back).length > MAX_BACK ? '/' : back,
  at: clock.now().getTime(),
});

/** PKCE code challenge (RFC 7636 4.2). */
export const challengeOf = ({ verifier }: PendingSignIn): string =>
  createHash('sha256').update(verifier).digest('base64url');

const COOKIE_PREFIX = 'landfall-sign-in-';

/** Fixed cookie names, so that tabs that open at once, without knowledge of each other, never exceed the limit. */
const COOKIE_NAMES: readonly string[] = Array.from({ length: MAX_PENDING }, (_, slot) => `${COOKIE_PREFIX}${slot}`);

/** Name of the cookie of a `state`; an unknown state gives an unused name. */
export const pendingCookieName = (state: string): string => `${COOKIE_PREFIX}${state.slice(0, 1)}`;

export const sealPending = (pending: PendingSignIn, secrets: Secrets): string =>
  secrets.seal('', SEALED_AS, JSON.stringify(pending)).toString('base64url');

/** Opens a cookie's value; undefined if it is foreign or its sign-in expired. */
const openSealed = (sealed: string, { secrets, clock }: Opening): PendingSignIn | undefined => {
  try {
    const pending: unknown = JSON.parse(secrets.open('', SEALED_AS, Buffer.from(sealed, 'base64url')).toString());
    return isPending(pending) && clock.now().getTime() - pending.at < PENDING_SECONDS * 1_000 ? pending : undefined;
  } catch {
    return undefined;
  }
};

/** Finds this browser's sign-in by `state`, unless it expired. */
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
 * Chooses the cookie number of a new sign-in: an empty, unreadable or expired one, else the oldest.
 * @param round number of sign-ins so far, so that tabs that open at once, with the same cookies, choose different ones
 */
export const chooseSlot = (cookies: string | undefined, round: number, opening: Opening): number => {
  const started = COOKIE_NAMES.map((name) => openSealed(readCookie(cookies, name) ?? '', opening)?.at ?? 0);
  const oldest = Math.min(...started);
  const slots = started.flatMap((at, slot) => (at === oldest ? [slot] : []));
  return slots[round % slots.length] ?? 0;
};

/** Names of foreign sign-in cookies, to be deleted: they would make every request longer. */
export const listOrphanedPending = (cookies: string | undefined): readonly string[] =>
  listCookies(cookies, COOKIE_PREFIX)
    .map(({ name }) => name)
    .filter((name) => !COOKIE_NAMES.includes(name));

const HERE = 'http://here.invalid';

/** Returns a path of this origin or the start page, never another site, however browsers parse it. */
export const localPath = (value: unknown): string => {
  const url = typeof value === 'string' && value.startsWith('/') ? URL.parse(value, HERE) : null;
  // Dots may normalise to a second slash in front, which would name a host.
  return url && url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : '/';
};
