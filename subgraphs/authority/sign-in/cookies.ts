import { createHmac } from 'node:crypto';
import { constantTimeEqual, type Secrets } from '@landfall/kernel/secrets';
import { newOpaque } from '../tokens/opaque.ts';

/** The value of a cookie in a `Cookie` header. */
const readCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** A form as it was shown to one browser. */
export interface FormTicket {
  /** Goes into the form: only who can read the page knows it. */
  readonly csrf: string;
  /** Goes with the page. */
  readonly setCookie: string;
}

export interface Cookies {
  readonly session: {
    read(header: string | undefined): string | undefined;
    set(value: string, aliveMs: number): string;
    readonly clear: string;
  };
  /** A token that is bound to a cookie of the browser's own, so that nobody else's form is taken for ours. */
  issueForm(header: string | undefined): FormTicket;
  isOurForm(header: string | undefined, csrf: string | undefined): boolean;
}

/**
 * The authority's cookies. Cookies know no ports, so these names differ from those of the console, which may run on
 * the same host.
 * @param isSecure whether the authority is reached by https, which alone allows the `__Host-` prefix (RFC 6265bis 4.1.3)
 */
export const createCookies = (secrets: Pick<Secrets, 'deriveAll'>, isSecure: boolean): Cookies => {
  const prefix = isSecure ? '__Host-' : '';
  const [session, form] = [`${prefix}landfall-authority`, `${prefix}landfall-authority-form`];
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const keys = secrets.deriveAll('authority/sign-in-form');
  const tokens = (cookie: string): string[] =>
    keys.map((key) => createHmac('sha256', key).update(cookie).digest('base64url'));

  return {
    session: {
      read: (header) => readCookie(header, session),
      set: (value, aliveMs) => `${session}=${value}; Max-Age=${Math.floor(aliveMs / 1000)}; ${attributes}`,
      clear: `${session}=; Max-Age=0; ${attributes}`,
    },
    issueForm: (header) => {
      const cookie = readCookie(header, form) ?? newOpaque().value;
      return { csrf: tokens(cookie)[0] ?? '', setCookie: `${form}=${cookie}; ${attributes}` };
    },
    isOurForm: (header, csrf) => {
      const cookie = readCookie(header, form);
      return (
        cookie !== undefined && csrf !== undefined && tokens(cookie).some((token) => constantTimeEqual(token, csrf))
      );
    },
  };
};
