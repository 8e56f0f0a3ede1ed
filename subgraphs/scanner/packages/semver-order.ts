import {
  ABSENT_HIGH,
  defineOrder,
  isDigits,
  LIST_END,
  numberKey,
  TEXT_END,
  type VersionOrder,
} from './version-order.ts';

/** Parts of a version in the syntax of Semantic Versioning 2.0.0; numbers that are left out are zero. */
interface SemverParts {
  readonly numbers: readonly string[];
  readonly preRelease: string | undefined;
  readonly build: string | undefined;
}

const SYNTAX = /^[vV=]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?$/;

const partsOf = (text: string): SemverParts | undefined => {
  const [match, numbers = '', preRelease, build] = SYNTAX.exec(text) ?? [];
  return match === undefined ? undefined : { numbers: numbers.split('.'), preRelease, build };
};

/** Numeric identifiers are below others, and a list is below its continuation. Source: SemVer 2.0.0, item 11. */
const identifiersKey = (text: string): string =>
  text
    .split('.')
    .map((identifier) => (isDigits(identifier) ? `1${numberKey(identifier)}` : `2${identifier}${TEXT_END}`))
    .join('') + LIST_END;

const numbersKey = (numbers: readonly string[], length: number): string => {
  const padded = Array.from({ length: Math.max(length, numbers.length) }, (_, index) =>
    numberKey(numbers[index] ?? ''),
  );
  return padded.join('') + LIST_END;
};

const hasIdentifiers = (text: string | undefined): boolean =>
  text === undefined || text.split('.').every((identifier) => identifier !== '');

/** Whether a text has one to `length` numbers, and identifiers that are not empty. */
const isSemver = (text: string, length: number): boolean => {
  const parts = partsOf(text);
  if (!parts || parts.numbers.length > length) return false;
  return hasIdentifiers(parts.preRelease) && hasIdentifiers(parts.build);
};

const semverKey = (text: string): string | undefined => {
  const parts = partsOf(text);
  if (!parts) return undefined;
  const preRelease = parts.preRelease === undefined ? ABSENT_HIGH : identifiersKey(parts.preRelease);
  return numbersKey(parts.numbers, 3) + preRelease;
};

/** Order of Semantic Versioning 2.0.0, with numbers of any size; a leading `v` is ignored. */
export const semverOrder: VersionOrder = defineOrder({
  name: 'semver',
  isVersion: (text) => isSemver(text, 3),
  keyOf: semverKey,
});

/** Order of Dart's Pub: build metadata counts. Source: pub_semver, `Version.compareTo`. */
export const pubOrder: VersionOrder = defineOrder({
  name: 'pub',
  isVersion: (text) => isSemver(text, 3),
  keyOf(text) {
    const build = partsOf(text)?.build;
    const key = semverKey(text);
    return key && key + (build === undefined ? LIST_END : identifiersKey(build));
  },
});

/** Order of NuGet: four numbers, and pre-release identifiers without regard to case. Source: NuGet.Versioning. */
export const nugetOrder: VersionOrder = defineOrder({
  name: 'nuget',
  isVersion: (text) => isSemver(text, 4) && !/^[vV=]/.test(text),
  keyOf(text) {
    const parts = partsOf(text);
    if (!parts) return undefined;
    const { preRelease } = parts;
    return (
      numbersKey(parts.numbers, 4) + (preRelease === undefined ? ABSENT_HIGH : identifiersKey(preRelease.toLowerCase()))
    );
  },
});

/** Version of a Go toolchain, such as `go1.21rc2`, in the syntax of modules: `1.21-rc.2`. Source: go/version. */
const moduleVersion = (text: string): string =>
  text.replace(/^go(?=\d)/, '').replace(/^(\d+(?:\.\d+)*)(alpha|beta|rc)(\d+)$/, '$1-$2.$3');

/** Order of Go modules, pseudo-versions and toolchains. Source: Go modules reference, versions. */
export const goOrder: VersionOrder = defineOrder({
  name: 'go',
  isVersion: (text) => isSemver(moduleVersion(text), 3),
  keyOf: (text) => semverKey(moduleVersion(text)),
});
