interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** Lists the cookies in a `Cookie` header whose names begin with `prefix`. */
export const listCookies = (header: string | undefined, prefix: string): readonly Cookie[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix) && pair.includes('='))
    .map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }));

/** Reads a cookie of the session's routes from a `Cookie` header; undefined for an empty one. */
export const readCookie = (header: string | undefined, name: string): string | undefined =>
  listCookies(header, `${name}=`)[0]?.value || undefined;
