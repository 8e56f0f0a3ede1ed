import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@landfall/kernel/clock';
import type { Secrets } from '@landfall/kernel/secrets';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { readCookie } from './cookies.ts';

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

const random = (): string => randomBytes(32).toString('base64url');

export const newPending = (back: string, clock: Clock): Pending => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  back,
  at: clock.now().getTime(),
});

/** RFC 7636 4.2. */
export const challengeOf = ({ verifier }: Pending): string => createHash('sha256').update(verifier).digest('base64url');

export const pendingCookieName = (state: string): string => `landfall-sign-in-${state.slice(0, 16)}`;

export const sealPending = (pending: Pending, secrets: Secrets): string =>
  secrets.seal('', SEALED_AS, JSON.stringify(pending)).toString('base64url');

/** The sign-in that `state` began in this browser, unless it was too long ago. */
export const openPending = (
  cookies: string | undefined,
  state: string,
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
): Pending | undefined => {
  const sealed = readCookie(cookies, pendingCookieName(state));
  if (sealed === undefined) return undefined;
  try {
    const pending: unknown = JSON.parse(secrets.open('', SEALED_AS, Buffer.from(sealed, 'base64url')).toString());
    const isGood = isPending(pending) && pending.state === state;
    return isGood && clock.now().getTime() - pending.at < PENDING_SECONDS * 1_000 ? pending : undefined;
  } catch {
    return undefined;
  }
};

const HERE = 'http://here.invalid';

/** A path of this origin, or the start page: never another site, however a browser reads it. */
export const localPath = (given: unknown): string => {
  const url = typeof given === 'string' && given.startsWith('/') ? URL.parse(given, HERE) : null;
  // Dots may normalise to a second slash in front, which would name a host.
  return url && url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : '/';
};
