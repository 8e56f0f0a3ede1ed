import type { Purl } from './purl.ts';

/** Releases that package URLs name by code name, with the number that OSV writes. */
const CODE_NAMES: ReadonlyMap<string, string> = new Map([
  ['wheezy', '7'],
  ['jessie', '8'],
  ['stretch', '9'],
  ['buster', '10'],
  ['bullseye', '11'],
  ['bookworm', '12'],
  ['trixie', '13'],
  ['forky', '14'],
  ['trusty', '14.04'],
  ['xenial', '16.04'],
  ['bionic', '18.04'],
  ['focal', '20.04'],
  ['jammy', '22.04'],
  ['noble', '24.04'],
  ['oracular', '24.10'],
  ['plucky', '25.04'],
  ['questing', '25.10'],
]);

/** Number of a release as written, such as `9.2` of `almalinux-9.2`. */
const numberOf = (distro: string): string | undefined =>
  /\d+(?:\.\d+)*/.exec(distro)?.[0] ??
  distro
    .split(/[^a-z]+/)
    .map((word) => CODE_NAMES.get(word))
    .find((number) => number);

const majorOf = (distro: string): string | undefined => numberOf(distro)?.split('.')[0];

/** First two numbers of a release, such as `3.18` of `3.18.4`. */
const minorOf = (distro: string): string | undefined => /^\d+\.\d+/.exec(numberOf(distro) ?? '')?.[0];

const named = (prefix: string, release: string | undefined): string | undefined => release && `${prefix}${release}`;

const ubuntu = (distro: string): string | undefined => {
  const release = minorOf(distro);
  const isLongTerm = release !== undefined && /^\d*[02468]\.04$/.test(release);
  return named('Ubuntu:', release) && `Ubuntu:${release}${isLongTerm ? ':LTS' : ''}`;
};

const openSuse = (distro: string): string | undefined =>
  distro.includes('tumbleweed') ? 'openSUSE:Tumbleweed' : named('openSUSE:Leap ', minorOf(distro));

const suse = (distro: string): string | undefined => {
  const [major, servicePack] = numberOf(distro)?.split('.') ?? [];
  return named('SUSE:Linux Enterprise Server ', major && (servicePack ? `${major} SP${servicePack}` : major));
};

const rocky = (distro: string): string | undefined => named('Rocky Linux:', majorOf(distro));
const redHat = (distro: string): string | undefined => named('Red Hat:enterprise_linux:', majorOf(distro));
const alpine = (distro: string): string | undefined => named('Alpine:v', minorOf(distro));

/** OSV ecosystem of a release, by type and vendor of the package URL. */
const DISTRIBUTIONS: Readonly<Record<string, (distro: string) => string | undefined>> = {
  'deb/debian': (distro) => named('Debian:', majorOf(distro)),
  'deb/ubuntu': ubuntu,
  'apk/alpine': alpine,
  'apk/wolfi': () => 'Wolfi',
  'apk/chainguard': () => 'Chainguard',
  'apk/minimos': () => 'MinimOS',
  'rpm/almalinux': (distro) => named('AlmaLinux:', majorOf(distro)),
  'rpm/rocky': rocky,
  'rpm/rockylinux': rocky,
  'rpm/redhat': redHat,
  'rpm/rhel': redHat,
  'rpm/opensuse': openSuse,
  'rpm/suse': (distro) => (distro.includes('opensuse') ? openSuse(distro) : suse(distro)),
  'rpm/sles': suse,
  'rpm/mageia': (distro) => named('Mageia:', majorOf(distro)),
  'rpm/azurelinux': (distro) => named('Azure Linux:', majorOf(distro)),
};

/**
 * OSV ecosystem of a package of a Linux distribution, such as `Debian:12`. Undefined for other packages, and where
 * the release is not stated: the vendor alone does not say which advisories apply.
 */
export const distributionOf = ({ type, namespace, qualifiers }: Purl): string | undefined => {
  const distro = (qualifiers.distro ?? qualifiers.os_version ?? '').toLowerCase();
  const vendor = namespace ?? /^[a-z]+/.exec(distro)?.[0] ?? '';
  // Syft before 0.60 wrote Alpine's packages with a type of their own.
  const key = type === 'alpine' ? 'apk/alpine' : `${type}/${vendor}`;
  return Object.hasOwn(DISTRIBUTIONS, key) ? DISTRIBUTIONS[key]?.(distro) : undefined;
};
