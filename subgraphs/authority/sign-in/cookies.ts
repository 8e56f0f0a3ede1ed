import { createHmac } from 'node:crypto';
import { constantTimeEqual, type Secrets } from '@landfall/kernel/crypto/secrets';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';

const pairsOf = (header: string | undefined): readonly string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');

/** Value of a cookie. Undefined when there are two by one name: one was planted. */
const readCookie = (header: string | undefined, name: string): string | undefined => {
  const [only, ...rest] = pairsOf(header).filter((pair) => pair.startsWith(`${name}=`));
  return rest.length > 0 ? undefined : only?.slice(name.length + 1);
};

/**
 * Creates the authority's cookies. Cookies ignore ports, so the names differ from those of the console, which may run
 * on the same host.
 * @param isSecure whether the authority is reached by https, which alone allows the `__Host-` prefix (RFC 6265bis
 * 4.1.3)
 */
export const createCookies = (secrets: Pick<Secrets, 'deriveAll'>, isSecure: boolean) => {
  const prefix = isSecure ? '__Host-' : '';
  const form = `${prefix}landfall-authority-form`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const keys = secrets.deriveAll('authority/sign-in-form');
  const tokens = (cookie: string): string[] =>
    keys.map((key) => createHmac('sha256', key).update(cookie).digest('base64url'));

  const cookie = (name: string) => ({
    read: (header: string | undefined) => readCookie(header, name),
    set: (value: string, aliveMs: number) => `${name}=${value}; Max-Age=${Math.floor(aliveMs / 1000)}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  });

  return {
    session: cookie(`${prefix}landfall-authority`),
    /** Sealed tickets between pages (`tickets.ts`), each under its own name. */
    pending: cookie(`${prefix}landfall-authority-pending`),
    link: cookie(`${prefix}landfall-authority-link`),
    provider: cookie(`${prefix}landfall-authority-provider`),
    /** Secret of the browser's form cookie, which identifies the browser. */
    formValue: (header: string | undefined): string | undefined => readCookie(header, form),
    /** Header with a form cookie, the browser's own or a new one, which `issueForm` then sets. */
    withForm: (header: string | undefined): string =>
      readCookie(header, form) === undefined
        ? [
            ...pairsOf(header).filter((pair) => !pair.startsWith(`${form}=`)),
            `${form}=${newOpaqueSecret().value}`,
          ].join('; ')
        : (header ?? ''),
    /** CSRF token bound to the browser's form cookie, and the header that sets the cookie. */
    issueForm: (header: string | undefined) => {
      const cookie = readCookie(header, form) ?? newOpaqueSecret().value;
      return { csrf: tokens(cookie)[0] ?? '', setCookie: `${form}=${cookie}; ${attributes}` };
    },
    isOurForm: (header: string | undefined, csrf: string | undefined): boolean => {
      const cookie = readCookie(header, form);
      return (
        cookie !== undefined && csrf !== undefined && tokens(cookie).some((token) => constantTimeEqual(token, csrf))
      );
    },
  };
};

export type Cookies = ReturnType<typeof createCookies>;
