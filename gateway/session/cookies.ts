interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** Cookies in a `Cookie` header whose names begin with `prefix`. */
export const listCookies = (header: string | undefined, prefix: string): readonly Cookie[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix) && pair.includes('='))
    .map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }));

/** The value of a cookie of the session's own routes in a `Cookie` header; an empty one is none. */
export const readCookie = (header: string | undefined, name: string): string | undefined =>
  listCookies(header, `${name}=`)[0]?.value || undefined;
