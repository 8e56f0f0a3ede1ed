import { MAX_SECRET_LOCATION } from '@landfall/agent/protocol/limits';

/**
 * Reference of a secret's value, as targets and variable sets write it:
 *
 *     name                    the built-in store
 *     env:NAME                a variable of the agent itself
 *     file:relative/path      a file below the agent's secrets directory
 *     vault:PROVIDER/path#key a key of a KV version 2 secret
 *
 * The first colon tells them apart, since no name of the built-in store has one.
 */
export type SecretReference =
  | { readonly kind: 'builtin'; readonly name: string }
  /** Location on the agent's host, sent to the agent unchanged; the server never sees the value. */
  | { readonly kind: 'agent'; readonly place: string }
  | { readonly kind: 'vault'; readonly provider: string; readonly path: string; readonly key: string };

const BUILTIN = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Matches a path that stays below its directory: no empty part, no `.` and no `..`. */
const RELATIVE = /^(?!\.{1,2}(?:\/|$))[^/]+(?:\/(?!\.{1,2}(?:\/|$))[^/]+)*$/;
const PRINTABLE = /^[\x20-\x7e]+$/;
/** Unreserved characters of URLs (RFC 3986 2.3), which need no encoding. */
const UNRESERVED = '[A-Za-z0-9._~-]';
const PART = `(?!\\.{1,2}(?:/|#|$))${UNRESERVED}+`;
const PATH = `${PART}(?:/${PART})*`;
const PROVIDER = '[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?';
const VAULT = new RegExp(`^(${PROVIDER})/(${PATH})#([A-Za-z0-9._-]{1,128})$`);

/** Pattern of provider names and of mount paths of secret engines. */
export const providerPattern = `^${PROVIDER}$`;
export const mountPattern = `^${PATH}$`;

const builtin = (name: string): SecretReference | undefined =>
  BUILTIN.test(name) ? { kind: 'builtin', name } : undefined;

const vault = (rest: string): SecretReference | undefined => {
  const [, provider, path, key] = VAULT.exec(rest) ?? [];
  if (provider === undefined || path === undefined || key === undefined) return undefined;
  return { kind: 'vault', provider, path, key };
};

/** Parses a reference; undefined if the text is none. */
export const parseReference = (text: string): SecretReference | undefined => {
  if (text.length > MAX_SECRET_LOCATION) return undefined;
  const colon = text.indexOf(':');
  if (colon < 0) return builtin(text);
  const rest = text.slice(colon + 1);
  switch (text.slice(0, colon)) {
    case 'env':
      return VARIABLE.test(rest) ? { kind: 'agent', place: text } : undefined;
    case 'file':
      return RELATIVE.test(rest) && PRINTABLE.test(rest) ? { kind: 'agent', place: text } : undefined;
    case 'vault':
      return vault(rest);
    default:
      return undefined;
  }
};
