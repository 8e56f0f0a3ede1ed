import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** Certificate fields that identify a client (RFC 8705 2.1.2). */
export const TLS_SUBJECT_KINDS = ['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'] as const;

export type TlsSubjectKind = (typeof TLS_SUBJECT_KINDS)[number];

export const isTlsSubjectKind = (word: string | null): word is TlsSubjectKind =>
  TLS_SUBJECT_KINDS.some((kind) => kind === word);

interface TlsSubject {
  readonly kind: TlsSubjectKind;
  readonly value: string;
}

/** Certificate subject of a client; null when it authenticates otherwise. */
export const tlsSubjectOf = (client: {
  readonly tlsSubjectKind: string | null;
  readonly tlsSubject: string | null;
}): TlsSubject | null =>
  isTlsSubjectKind(client.tlsSubjectKind) && client.tlsSubject !== null
    ? { kind: client.tlsSubjectKind, value: client.tlsSubject }
    : null;

/** Character or escape sequence (RFC 4514 2.4). */
const TOKEN = /\\[\da-f]{2}|\\.|[^\\]/gisu;

const splitAt = (tokens: readonly string[], separator: string): string[][] => {
  const groups: string[][] = [[]];
  for (const token of tokens)
    if (token === separator) groups.push([]);
    else groups.at(-1)?.push(token);
  return groups;
};

const bytesOf = (token: string): Buffer => {
  if (/^\\[\da-f]{2}$/i.test(token)) return Buffer.from(token.slice(1), 'hex');
  return Buffer.from(token.startsWith('\\') ? token.slice(1) : token);
};

const trimmed = (tokens: readonly string[]): readonly string[] => {
  const isBlank = (token: string): boolean => token === ' ';
  const first = tokens.findIndex((token) => !isBlank(token));
  return first < 0 ? [] : tokens.slice(first, tokens.findLastIndex((token) => !isBlank(token)) + 1);
};

/** Splits `CN=client` into type and value. */
const assertionOf = (tokens: readonly string[]): readonly [string, string] | undefined => {
  const equals = tokens.indexOf('=');
  const type = trimmed(tokens.slice(0, Math.max(equals, 0))).join('');
  const value = Buffer.concat(trimmed(tokens.slice(equals + 1)).map(bytesOf)).toString();
  return /^(?:[A-Za-z][\w-]*|\d+(?:\.\d+)+)$/.test(type) && value !== '' ? [type.toUpperCase(), value] : undefined;
};

/** Canonical parts of a distinguished name, in the order of the text. */
const readName = (text: string, separator: ',' | '\n'): string[] | undefined => {
  const tokens = text.match(TOKEN) ?? [];
  if (tokens.join('') !== text) return undefined;
  const parts = splitAt(tokens, separator).map((part) => splitAt(part, '+').map(assertionOf));
  if (parts.some((part) => part.includes(undefined))) return undefined;
  return parts.map((part) => JSON.stringify(part.toSorted()));
};

/**
 * Canonical form of an RFC 4514 name. It begins with the most specific part; a certificate, and Node, with the least.
 */
const readDn = (value: string): string | undefined => readName(value, ',')?.toReversed().join('');
const subjectOf = ({ subject }: X509Certificate): string | undefined => readName(subject, '\n')?.join('');

const readIp = (value: string): string | undefined => {
  const family = isIP(value);
  return family === 6 ? URL.parse(`http://[${value}]`)?.hostname : family === 4 ? value : undefined;
};

interface Alternative {
  readonly prefix: string;
  /** Canonical form of a value; undefined when it is invalid. */
  read(value: string): string | undefined;
}

const matching = (pattern: RegExp) => (value: string) => (pattern.test(value) ? value : undefined);

const ALTERNATIVES: Readonly<Record<Exclude<TlsSubjectKind, 'subject_dn'>, Alternative>> = {
  san_dns: {
    prefix: 'DNS:',
    read: (value) => (/^[\w*][\w.-]*$/.test(value) ? value.toLowerCase() : undefined),
  },
  san_uri: { prefix: 'URI:', read: (value) => (URL.canParse(value) ? value : undefined) },
  san_ip: { prefix: 'IP Address:', read: readIp },
  san_email: { prefix: 'email:', read: matching(/^[^\s@,"]+@[^\s@,"]+$/) },
};

/** Entries of a subject alternative name as Node writes them: one with a comma or a quote is a JSON string. */
const entriesOf = (alternatives: string): string[] =>
  [...alternatives.matchAll(/(?:^|, )([^:",]+:)("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g)].map(
    ([, prefix = '', value = '']) => {
      const text: unknown = value.startsWith('"') ? JSON.parse(value) : value;
      return prefix + String(text);
    },
  );

export const isTlsSubject = ({ kind, value }: TlsSubject): boolean =>
  (kind === 'subject_dn' ? readDn(value) : ALTERNATIVES[kind].read(value)) !== undefined;

export const namesClient = (certificate: X509Certificate, { kind, value }: TlsSubject): boolean => {
  if (kind === 'subject_dn') {
    const requested = readDn(value);
    return requested !== undefined && requested === subjectOf(certificate);
  }
  const { prefix, read } = ALTERNATIVES[kind];
  const requested = read(value);
  return (
    requested !== undefined &&
    entriesOf(certificate.subjectAltName ?? '').some(
      (entry) => entry.startsWith(prefix) && read(entry.slice(prefix.length)) === requested,
    )
  );
};
