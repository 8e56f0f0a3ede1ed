import { textOf, unique } from './values.ts';

const CVE = /^CVE-\d{4}-\d{4,}$/i;

export const isCve = (name: string): boolean => CVE.test(name);

/** Canonical spelling of CVE and GHSA ids. */
export const normalizeId = (name: string): string => {
  if (isCve(name)) return name.toUpperCase();
  return /^ghsa(-[23456789cfghjmpqrvwx]{4}){3}$/i.test(name) ? `GHSA${name.slice(4).toLowerCase()}` : name;
};

/** CVE of a vulnerability if it has one, otherwise its own id. */
export const canonicalId = (id: string, aliases: readonly string[]): string =>
  [id, ...aliases].map(normalizeId).find(isCve) ?? normalizeId(id);

export const vulnerabilityKey = (name: string): string => `vulnerability:${name}`;

/** Types of package URLs by the ecosystem names of OSV. */
const PURL_TYPES: Readonly<Record<string, string>> = {
  npm: 'npm',
  PyPI: 'pypi',
  RubyGems: 'gem',
  'crates.io': 'cargo',
  Go: 'golang',
  Maven: 'maven',
  NuGet: 'nuget',
  Packagist: 'composer',
  Hex: 'hex',
  Pub: 'pub',
  SwiftURL: 'swift',
  Hackage: 'hackage',
  CRAN: 'cran',
  Debian: 'deb/debian',
  Ubuntu: 'deb/ubuntu',
  Alpine: 'apk/alpine',
};

const ECOSYSTEMS: ReadonlyMap<string, string> = new Map(
  Object.entries(PURL_TYPES).flatMap(([ecosystem, type]) => (type.includes('/') ? [] : [[type, ecosystem]])),
);

/** Ecosystem without its release: `Debian:12` and `Ubuntu:22.04:LTS` are releases of one ecosystem. */
export const ecosystemOf = (value: unknown): string | undefined => textOf(value)?.split(':')[0];

/** Package URL of a package by its ecosystem's name, without a version. */
export const purlOf = (ecosystem: string | undefined, name: string): string | undefined => {
  const type = ecosystem === undefined || !Object.hasOwn(PURL_TYPES, ecosystem) ? undefined : PURL_TYPES[ecosystem];
  if (type === undefined) return undefined;
  const path = type === 'maven' ? name.replace(':', '/') : type === 'pypi' ? name.toLowerCase() : name;
  return `pkg:${type}/${path
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll('%3A', ':'))
    .join('/')}`;
};

interface Purl {
  readonly base: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly ecosystem: string | undefined;
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Parses the parts of a package URL that search needs; undefined when it is invalid. */
export const parsePurl = (value: unknown): Purl | undefined => {
  const [, type, rest] = /^pkg:\/*([a-zA-Z][\w.+-]*)\/([^?#]+)/.exec(textOf(value) ?? '') ?? [];
  if (type === undefined || rest === undefined) return undefined;
  const at = rest.lastIndexOf('@');
  const path = at > 0 ? rest.slice(0, at) : rest;
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  const distribution = type === 'deb' || type === 'apk' || type === 'rpm';
  const words = (distribution && parts.length > 1 ? parts.slice(1) : parts).map(decoded);
  const known = ECOSYSTEMS.get(type.toLowerCase());
  return {
    base: `pkg:${type.toLowerCase()}/${parts.join('/')}`,
    name: words.join(type === 'maven' ? ':' : '/'),
    version: at > 0 ? decoded(rest.slice(at + 1)) : undefined,
    ecosystem: known ?? (distribution && parts.length > 1 ? parts[0] : type.toLowerCase()),
  };
};

export const packagesOf = (purls: readonly string[]): string[] => unique(purls.map((purl) => parsePurl(purl)?.name));
