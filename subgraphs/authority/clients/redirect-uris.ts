const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether a client may be sent back to `uri` (RFC 9700 4.1.1): absolute, without a fragment, a user or a wildcard, and
 * encrypted unless it never leaves the machine.
 */
export const isRedirectUri = (uri: string): boolean => {
  if (!URL.canParse(uri) || uri.includes('*') || uri.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
};

/** A loopback address as RFC 8252 7.3 has it: the IP literal, since a name may lead elsewhere (8.3), and any port. */
const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

const withoutPort = (uri: string): string => uri.replace(LOOPBACK_PORT, '$1');

/**
 * Whether a request may be answered at `given`: the registered address letter for letter (RFC 9700 4.1.3), but for the
 * port of a loopback address, which a native application learns when it listens (RFC 8252 7.3).
 */
export const matchesRedirectUri = (registered: string, given: string): boolean =>
  registered === given ||
  (LOOPBACK_PORT.test(registered) && isRedirectUri(given) && withoutPort(registered) === withoutPort(given));

/** Whether a text is the origin of a web page as browsers write it (RFC 6454 6.2), encrypted unless on this machine. */
export const isOrigin = (text: string): boolean => isRedirectUri(text) && new URL(text).origin === text;

/** Whether `uri` leads to whatever program listens on the person's own machine. */
export const isLoopbackUri = (uri: string): boolean => new URL(uri).protocol === 'http:';

/** Whether a text can name a resource that tokens are for (RFC 8707 2): an absolute URI without a fragment. */
export const isResource = (uri: string): boolean =>
  /^[A-Za-z][A-Za-z\d+.-]*:[\x21-\x7e]+$/.test(uri) && URL.canParse(uri) && !uri.includes('#');
