import { inc, parse, rcompare } from 'semver';

/** Origin of the version of a release that sources create. */
export type VersionScheme = 'image' | 'counter';

interface VersionCase {
  readonly scheme: VersionScheme;
  /** Semantic versions of the images that sources selected; those without one are left out. */
  readonly images: readonly string[];
  /** Versions of the product's releases. */
  readonly taken: readonly string[];
}

/** Version of a product's first release when no image has one. */
const FIRST = '0.1.0';

const highestOf = (versions: readonly string[]): string | undefined =>
  versions.filter((version) => parse(version)).toSorted(rcompare)[0];

/** Version without build metadata. */
const coreOf = (version: string): string => parse(version)?.version ?? version;

const afterHighest = (versions: readonly string[]): string => {
  const highest = highestOf(versions);
  return highest === undefined ? FIRST : (inc(highest, 'patch') ?? FIRST);
};

/**
 * Version of the next release: the highest of its images, or the next patch. A second release with the same highest image
 * has build metadata (SemVer 2.0.0, section 10): 1.4.0+2.
 */
export const nextVersion = ({ scheme, images, taken: versions }: VersionCase): string => {
  const image = scheme === 'image' ? highestOf(images) : undefined;
  const base = image === undefined ? afterHighest(versions) : coreOf(image);
  const used = new Set(versions);
  if (!used.has(base)) return base;
  for (let build = 2; ; build++) {
    const version = `${base}+${build}`;
    if (!used.has(version)) return version;
  }
};
