import { rulesOf } from './purl-types.ts';

/** Components of a package URL, percent-decoded and in their canonical spelling. Source: ECMA-427. */
export interface Purl {
  readonly type: string;
  /** Segments joined by slashes. */
  readonly namespace: string | null;
  readonly name: string;
  readonly version: string | null;
  readonly qualifiers: Readonly<Record<string, string>>;
  readonly subpath: string | null;
}

/** Component of a package URL that breaks a rule, or `length` and `encoding` of the text as a whole. */
type PurlReason =
  | 'length'
  | 'encoding'
  | 'scheme'
  | 'type'
  | 'namespace'
  | 'name'
  | 'version'
  | 'qualifier'
  | 'subpath';

/** Refusal of a text or of components that are no package URL. */
export class PurlError extends Error {
  readonly reason: PurlReason;

  constructor(reason: PurlReason, message: string) {
    super(message);
    this.name = 'PurlError';
    this.reason = reason;
  }
}

/** Characters of the longest package URL that is read; those in use have a few hundred. */
const MAX_LENGTH = 8192;

/** Qualifiers that say where a package is from or which file it is, but not which package. Source: ECMA-427 annex B. */
const UNIDENTIFYING = new Set(['checksum', 'distro', 'download_url', 'file_name', 'upstream', 'vcs_url']);

const refuse = (reason: PurlReason, message: string): never => {
  throw new PurlError(reason, `Package URL refused: ${message}.`);
};

const decodeUtf8 = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('encoding', 'a percent-encoded character is not UTF-8');
  }
};

/** Decodes percent-encoding. NUL is refused, since PostgreSQL does not store it and no package has it. */
const decode = (text: string): string => {
  const decoded = decodeUtf8(text);
  return decoded.includes('\0') ? refuse('encoding', 'it has the character NUL') : decoded;
};

/** Percent-encodes all but letters, digits, `.-_~` and the colon. */
const encode = (text: string): string => {
  if (/^[\w.~:-]*$/.test(text)) return text;
  if (!text.isWellFormed()) refuse('encoding', 'it has an unpaired surrogate');
  return encodeURIComponent(text)
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
};

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** Text before and after a separator; the second is null where there is none. */
const splitAt = (text: string, index: number): [string, string | null] =>
  index < 0 ? [text, null] : [text.slice(0, index), text.slice(index + 1)];

/** Index of the `@` before the version: the last one, unless it begins a scope such as `@babel/core`. */
const versionIndex = (path: string): number => {
  const index = path.lastIndexOf('@');
  return index > 0 && path[index - 1] === '/' && path.includes('/', index) ? -1 : index;
};

const parseQualifiers = (text: string, hasFoldedKeys: boolean): Record<string, string> => {
  const qualifiers = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [key, value] = splitAt(pair, pair.indexOf('='));
    if (value === null) refuse('qualifier', 'a qualifier has no value');
    // A key that begins with a capital is refused where keys are read strictly; capitals after that are folded.
    if (!hasFoldedKeys && /^[A-Z]/.test(key)) refuse('qualifier', 'a qualifier key begins with a capital');
    const folded = key.toLowerCase();
    if (qualifiers.has(folded)) refuse('qualifier', 'a qualifier key is given twice');
    qualifiers.set(folded, decode(value ?? ''));
  }
  return Object.fromEntries([...qualifiers].filter(([, value]) => value !== ''));
};

const parseSubpath = (text: string): string => {
  const segments = segmentsOf(text).map(decode);
  if (segments.some((segment) => segment.includes('/'))) refuse('subpath', 'a subpath segment has a slash');
  return segments.join('/');
};

const parsePath = (path: string): Pick<Purl, 'type' | 'namespace' | 'name' | 'version'> => {
  const [coordinates, version] = splitAt(path, versionIndex(path));
  if (version !== null && coordinates.endsWith('/')) refuse('name', 'it has no name');
  const [type = '', ...segments] = segmentsOf(coordinates);
  const decoded = segments.map(decode);
  const { hasPathName } = rulesOf(type.toLowerCase());
  const nameLength = hasPathName ? Math.max(decoded.length - 1, 1) : 1;
  const namespace = decoded.slice(0, -nameLength);
  if (namespace.some((segment) => segment.includes('/'))) refuse('namespace', 'a namespace segment has a slash');
  if (hasPathName && decoded.some((segment) => segment.includes('/'))) refuse('name', 'a name segment has a slash');
  return {
    type,
    namespace: namespace.join('/'),
    name: decoded.slice(-nameLength).join('/'),
    version: version === null ? null : decode(version),
  };
};

const checkQualifiers = (qualifiers: Readonly<Record<string, string>>): void => {
  for (const key of Object.keys(qualifiers)) {
    if (!/^[a-z][a-z0-9._-]*$/.test(key)) refuse('qualifier', 'a qualifier key has a character that keys may not have');
  }
};

/** Components in canonical spelling, empty ones as null. @throws PurlError where a rule of the type is broken */
const normalize = (purl: Purl): Purl => {
  const type = purl.type.toLowerCase();
  if (!/^[a-z][a-z0-9.-]*$/.test(type)) refuse('type', 'it has no valid type');
  if (!purl.name) refuse('name', 'it has no name');
  checkQualifiers(purl.qualifiers);
  const rules = rulesOf(type);
  if (rules.namespace === 'required' && !purl.namespace) refuse('namespace', `type ${type} needs a namespace`);
  if (rules.namespace === 'prohibited' && purl.namespace) refuse('namespace', `type ${type} has no namespace`);
  if (rules.requiredQualifier && !purl.qualifiers[rules.requiredQualifier]) {
    refuse('qualifier', `type ${type} needs the qualifier ${rules.requiredQualifier}`);
  }
  const name = rules.foldName?.(purl.name, purl.qualifiers) ?? purl.name;
  if (rules.namePattern?.test(name) === false) refuse('name', `the name is not one of type ${type}`);
  const version = purl.version && (rules.foldVersion?.(purl.version) ?? purl.version);
  if (version && rules.versionPattern?.test(version) === false) {
    refuse('version', `the version is not one of type ${type}`);
  }
  return {
    type,
    namespace: (purl.namespace && (rules.foldNamespace?.(purl.namespace) ?? purl.namespace)) || null,
    name,
    version: version || null,
    qualifiers: purl.qualifiers,
    // Segments that would climb are dropped.
    subpath:
      segmentsOf(purl.subpath ?? '')
        .filter((segment) => segment !== '.' && segment !== '..')
        .join('/') || null,
  };
};

const read = (text: string, hasFoldedKeys: boolean): Purl => {
  if (text.length > MAX_LENGTH) refuse('length', `it has more than ${MAX_LENGTH} characters`);
  if (!text.isWellFormed()) refuse('encoding', 'it has an unpaired surrogate');
  if (!/^pkg:/i.test(text)) refuse('scheme', 'it does not begin with pkg:');
  // As in RFC 3986, the first `#` and the first `?` separate: URLs in qualifiers are often written unencoded.
  const body = text.slice(4);
  const [rest, subpath] = splitAt(body, body.indexOf('#'));
  const [path, qualifiers] = splitAt(rest, rest.indexOf('?'));
  return normalize({
    ...parsePath(path),
    qualifiers: parseQualifiers(qualifiers ?? '', hasFoldedKeys),
    subpath: parseSubpath(subpath ?? ''),
  });
};

/**
 * Components of a package URL. Linear in the length of the text.
 * @throws PurlError with the component that is refused
 */
export const parsePurl = (text: string): Purl => read(text, false);

/**
 * Canonical package URL of components: spelling of its type, qualifiers in the order of their keys.
 * @throws PurlError where the components break a rule of their type
 */
export const formatPurl = (purl: Purl): string => {
  const { type, namespace, name, version, qualifiers, subpath } = normalize(purl);
  const path = [type, ...segmentsOf(namespace ?? '')];
  path.push(...(rulesOf(type).hasPathName ? segmentsOf(name) : [name]));
  const query = Object.keys(qualifiers)
    .filter((key) => qualifiers[key] !== '')
    .sort()
    .map((key) => `${key}=${encode(qualifiers[key] ?? '')}`)
    .join('&');
  const tail = subpath === null ? '' : segmentsOf(subpath).map(encode).join('/');
  return `pkg:${path.map(encode).join('/')}${version === null ? '' : `@${encode(version)}`}${query && `?${query}`}${tail && `#${tail}`}`;
};

/**
 * Canonical spelling of a package URL, in which qualifier keys may be written with capitals.
 * @throws PurlError with the component that is refused
 */
export const canonicalPurl = (text: string): string => formatPurl(read(text, true));

/** Identity of a component across scans: its canonical package URL without qualifiers that do not identify it. */
export const componentKey = (purl: Purl): string =>
  formatPurl({
    ...purl,
    qualifiers: Object.fromEntries(Object.entries(purl.qualifiers).filter(([key]) => !UNIDENTIFYING.has(key))),
  });
