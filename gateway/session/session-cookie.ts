/** Session cookie of the console. Its value is a random id; everything else is on the server. */

/**
 * Name of the cookie. Under TLS the `__Host-` prefix binds it to this host, the whole path and TLS (RFC 6265bis 4.1.3).
 */
const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-landfall' : 'landfall');

/** Set-Cookie value that scripts cannot read and cross-site requests do not send. */
export const sessionCookie = (value: string, options: { isSecure: boolean; maxAgeSeconds: number }): string =>
  [
    `${cookieName(options.isSecure)}=${value}`,
    'Path=/',
    `Max-Age=${options.maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(options.isSecure ? ['Secure'] : []),
  ].join('; ');

/** Set-Cookie value that deletes the cookie. */
export const endedCookie = (isSecure: boolean): string => sessionCookie('', { isSecure, maxAgeSeconds: 0 });

/** Reads the session id from a Cookie header; none if duplicated, since another host may have set one of them. */
export const readSessionCookie = (header: string | undefined, isSecure: boolean): string | undefined => {
  const name = `${cookieName(isSecure)}=`;
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(name))
    .map((pair) => pair.slice(name.length));
  const [only, ...rest] = values;
  return rest.length === 0 && only !== undefined && /^[\w-]{43}$/.test(only) ? only : undefined;
};
