const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Checks a redirect address (RFC 9700 4.1.1): https or loopback, without fragment, credentials or wildcard. */
export const isRedirectUri = (uri: string): boolean => {
  if (!URL.canParse(uri) || uri.includes('*') || uri.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
};

/** Loopback address of RFC 8252 7.3: an IP literal, since a name may resolve elsewhere (8.3), with any port. */
const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

const withoutPort = (uri: string): string => uri.replace(LOOPBACK_PORT, '$1');

/** Compares redirect addresses exactly (RFC 9700 4.1.3), except for the port of a loopback one (RFC 8252 7.3). */
export const matchesRedirectUri = (registered: string, input: string): boolean =>
  registered === input ||
  (LOOPBACK_PORT.test(registered) && isRedirectUri(input) && withoutPort(registered) === withoutPort(input));

/** Whether a text is a serialized web origin (RFC 6454 6.2), https unless on loopback. */
export const isOrigin = (text: string): boolean => isRedirectUri(text) && new URL(text).origin === text;

/** Whether a valid redirect address is on the person's own machine. */
export const isLoopbackUri = (uri: string): boolean => new URL(uri).protocol === 'http:';

/** Whether a text can be a resource indicator (RFC 8707 2): an absolute URI without a fragment. */
export const isResource = (uri: string): boolean =>
  /^[A-Za-z][A-Za-z\d+.-]*:[\x21-\x7e]+$/.test(uri) && URL.canParse(uri) && !uri.includes('#');
