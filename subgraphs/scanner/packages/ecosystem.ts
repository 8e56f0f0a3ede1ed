import { alpineOrder } from './alpine-order.ts';
import { debianOrder } from './debian-order.ts';
import { distributionOf } from './distributions.ts';
import { mavenOrder } from './maven-order.ts';
import { cranOrder, hackageOrder } from './numeric-order.ts';
import { packagistOrder } from './packagist-order.ts';
import { pep440Order } from './pep440-order.ts';
import type { Purl } from './purl.ts';
import { normalizePythonName } from './purl-types.ts';
import { rpmOrder } from './rpm-order.ts';
import { rubygemsOrder } from './rubygems-order.ts';
import { goOrder, nugetOrder, pubOrder, semverOrder } from './semver-order.ts';
import type { VersionOrder } from './version-order.ts';

/** Package that OSV advisories name, with the version to look for. */
export interface OsvPackage {
  /** Ecosystem with its release, as OSV writes it: `npm`, `Debian:12`. */
  readonly ecosystem: string;
  readonly packageName: string;
  /** Version as the order of the ecosystem reads it: with the epoch of an RPM package. */
  readonly version: string | null;
  readonly order: VersionOrder;
}

const ORDERS: Readonly<Record<string, VersionOrder>> = {
  AlmaLinux: rpmOrder,
  Alpine: alpineOrder,
  'Azure Linux': rpmOrder,
  Bitnami: semverOrder,
  CRAN: cranOrder,
  Chainguard: alpineOrder,
  ConanCenter: semverOrder,
  Debian: debianOrder,
  'GitHub Actions': semverOrder,
  Go: goOrder,
  Hackage: hackageOrder,
  Hex: semverOrder,
  Julia: semverOrder,
  Mageia: rpmOrder,
  Maven: mavenOrder,
  MinimOS: alpineOrder,
  NuGet: nugetOrder,
  Packagist: packagistOrder,
  Pub: pubOrder,
  PyPI: pep440Order,
  'Red Hat': rpmOrder,
  'Rocky Linux': rpmOrder,
  RubyGems: rubygemsOrder,
  SUSE: rpmOrder,
  SwiftURL: semverOrder,
  Ubuntu: debianOrder,
  VSCode: semverOrder,
  Wolfi: alpineOrder,
  'crates.io': semverOrder,
  npm: semverOrder,
  openSUSE: rpmOrder,
};

const familyOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? '';

/** Order of the versions of an ecosystem, which may be written with a release; undefined for an unknown ecosystem. */
export const versionOrderOf = (ecosystem: string): VersionOrder | undefined => {
  const family = familyOf(ecosystem);
  return Object.hasOwn(ORDERS, family) ? ORDERS[family] : undefined;
};

/**
 * Ecosystem by which advisories and components are joined: without a registry's address (`Maven:https://…`) and
 * without the repository of a Red Hat product (`Red Hat:enterprise_linux:9::appstream`).
 */
export const ecosystemKey = (ecosystem: string): string => ecosystem.replace(/:(?::|https?:).*$/s, '');

const lower = (name: string): string => name.toLowerCase();

/** Spelling under which names that an ecosystem takes for one package are equal. */
const NAME_KEYS: Readonly<Record<string, (name: string) => string>> = {
  Bitnami: lower,
  'GitHub Actions': lower,
  // The module path is case sensitive, but a package URL has it in lower case.
  Go: lower,
  Hex: lower,
  npm: lower,
  NuGet: lower,
  Packagist: lower,
  PyPI: normalizePythonName,
  SwiftURL: (name) =>
    name
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/\.git$/, ''),
  VSCode: lower,
};

/** Package name by which advisories and components are joined. */
export const packageNameKey = (ecosystem: string, packageName: string): string => {
  const family = familyOf(ecosystem);
  return (Object.hasOwn(NAME_KEYS, family) ? NAME_KEYS[family]?.(packageName) : undefined) ?? packageName;
};

const joined = (separator: string) => (purl: Purl) => purl.namespace && `${purl.namespace}${separator}${purl.name}`;
const scoped = ({ namespace, name }: Purl): string => (namespace ? `${namespace}/${name}` : name);
const plain = ({ name }: Purl): string => name;

/** Go module path; the standard library is `stdlib` in OSV, and `std` in some documents. */
const modulePath = (purl: Purl): string => (purl.namespace === null && purl.name === 'std' ? 'stdlib' : scoped(purl));

/** Ecosystem and name in OSV, by type of package URL; a name is null where a part of it is missing. */
const TYPES: Readonly<Record<string, readonly [ecosystem: string, nameOf: (purl: Purl) => string | null]>> = {
  bitnami: ['Bitnami', plain],
  cargo: ['crates.io', plain],
  composer: ['Packagist', joined('/')],
  conan: ['ConanCenter', plain],
  cran: ['CRAN', plain],
  gem: ['RubyGems', plain],
  github: ['GitHub Actions', joined('/')],
  githubactions: ['GitHub Actions', joined('/')],
  golang: ['Go', modulePath],
  hackage: ['Hackage', plain],
  hex: ['Hex', plain],
  julia: ['Julia', plain],
  maven: ['Maven', joined(':')],
  npm: ['npm', scoped],
  nuget: ['NuGet', plain],
  pub: ['Pub', plain],
  pypi: ['PyPI', plain],
  swift: ['SwiftURL', joined('/')],
  'vscode-extension': ['VSCode', joined('/')],
};

const versionOf = ({ type, version, qualifiers }: Purl): string | null =>
  type === 'rpm' && version && qualifiers.epoch && !version.includes(':') ? `${qualifiers.epoch}:${version}` : version;

/** Source package in the qualifier `upstream`: `glibc`, `glibc@2.36-9` or `glibc-2.34-60.el9.src.rpm`. */
const sourceOf = (purl: Purl): { name: string; version: string | null } | undefined => {
  const { upstream } = purl.qualifiers;
  if (!upstream) return undefined;
  if (purl.type === 'rpm') {
    const name = /^(.+)-[^-]+-[^-]+\.(?:no)?src\.rpm$/.exec(upstream)?.[1] ?? upstream;
    return { name, version: versionOf(purl) };
  }
  const [name = '', version] = upstream.split('@', 2);
  return { name, version: version || purl.version };
};

/** Packages of a distribution whose advisories may apply: advisories for deb and apk name source packages. */
const distributionPackages = (purl: Purl, ecosystem: string, order: VersionOrder): OsvPackage[] => {
  const binary = { ecosystem, packageName: purl.name, version: versionOf(purl), order };
  const source = sourceOf(purl);
  if (!source) return [binary];
  const built = { ecosystem, packageName: source.name, version: source.version, order };
  if (purl.type !== 'rpm') return [built];
  return source.name === purl.name ? [binary] : [binary, built];
};

/**
 * Packages by which advisories about a component are found, the likeliest first: the package itself, and the source
 * package that it was built from. None where the ecosystem or the release of the distribution is unknown.
 */
export const osvPackagesOf = (purl: Purl): readonly OsvPackage[] => {
  const distribution = distributionOf(purl);
  const distributionOrder = distribution && versionOrderOf(distribution);
  if (distribution && distributionOrder) return distributionPackages(purl, distribution, distributionOrder);
  const [ecosystem, nameOf] = (Object.hasOwn(TYPES, purl.type) ? TYPES[purl.type] : undefined) ?? [];
  const order = ecosystem && versionOrderOf(ecosystem);
  const packageName = nameOf?.(purl);
  return ecosystem && order && packageName ? [{ ecosystem, packageName, version: purl.version, order }] : [];
};

/** Package by which advisories about a component are found first; undefined where its ecosystem is unknown. */
export const ecosystemOf = (purl: Purl): OsvPackage | undefined => osvPackagesOf(purl)[0];

/** Whether a version is of a module stream of RPM: such versions and others are not comparable. */
export const isModularVersion = (version: string): boolean => /\.module[_+]/.test(version);
