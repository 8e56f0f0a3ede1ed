import { type Digest, isDigest } from '@landfall/kernel/crypto/digest';
import { parse } from 'semver';
import { gatedDigestSet } from '../../catalogue/releases/gated-digest-set.ts';
import type { Component, Release } from '../../catalogue/releases/release.ts';
import type { VersionScheme } from './release-version.ts';
import type { ReleaseSource, SourcePolicy } from './sources.store.ts';
import { policies } from './sources.store.ts';

/** Component of a release that sources create. */
interface SetComponent {
  readonly name: string;
  readonly repository: string;
  readonly requestedTag: string | null;
  readonly digest: Digest;
  readonly dependsOn: readonly string[];
}

/** Images that a product's next release consists of. */
export interface ImageSet {
  readonly components: readonly SetComponent[];
  /** Equal for equal sets; the gated digest set of the release. */
  readonly digest: Digest;
  /** The most careful policy of the sources. */
  readonly policy: SourcePolicy;
  readonly scheme: VersionScheme;
  /** Controllers of the sources, and the authors of the release that components are carried over from. */
  readonly controllers: readonly string[];
  /** Semantic versions of the images that sources selected. */
  readonly versions: readonly string[];
}

/** Release that components are carried over from. */
type CarriedFrom = Pick<Release, 'components' | 'createdBy' | 'createdThrough' | 'finalizedBy' | 'finalizedThrough'>;

/** Reason why a product has no set of images. */
interface NoSet {
  readonly reason: string;
}

const fromSource = (
  { component, repository, selectedTag, selectedDigest }: ReleaseSource,
  before: Component | undefined,
): SetComponent[] =>
  selectedDigest !== null && isDigest(selectedDigest)
    ? [
        {
          name: component,
          repository,
          requestedTag: selectedTag,
          digest: selectedDigest,
          dependsOn: before?.dependsOn ?? [],
        },
      ]
    : [];

const fromRelease = ({ name, repository, digest, dependsOn }: Component): SetComponent[] =>
  // By digest alone: the tag of an earlier release may point elsewhere by now.
  digest !== null && isDigest(digest) ? [{ name, repository, requestedTag: null, digest, dependsOn }] : [];

const strictestPolicy = (sources: readonly ReleaseSource[]): SourcePolicy =>
  policies.find((policy) => sources.some((source) => source.policy === policy)) ?? 'draft';

/** People and clients that chose the images of a release, and the holders of their tokens. */
const authorsOf = ({ createdBy, createdThrough, finalizedBy, finalizedThrough }: CarriedFrom): readonly string[] => [
  createdBy,
  ...(createdThrough ?? []),
  ...(finalizedBy === null ? [] : [finalizedBy]),
  ...(finalizedThrough ?? []),
];

/** Reason why a source holds back its product: it has no image, or its last poll found that the image is gone. */
const deferImage = (
  { component, problem, failures }: ReleaseSource,
  components: readonly SetComponent[],
): string | undefined => {
  if (!components.some(({ name }) => name === component))
    return `${component} has no image yet: ${problem ?? 'its source was not polled yet.'}`;
  // A registry that does not answer gives no information about the image.
  return problem !== null && failures === 0 ? `${component}: ${problem}` : undefined;
};

/**
 * Assembles the set of a product: what its enabled sources selected, and the other components of its newest release.
 * Declared components that the product no longer has are left out.
 */
export const assembleSet = (
  sources: readonly ReleaseSource[],
  newest: CarriedFrom | undefined,
  declared: readonly { readonly name: string }[] | null,
): ImageSet | NoSet => {
  const enabled = sources.filter(({ isEnabled }) => isEnabled);
  if (enabled.length === 0) return { reason: 'The product has no enabled source.' };
  const before = newest?.components ?? [];
  const selected = enabled.flatMap((source) =>
    fromSource(
      source,
      before.find(({ name }) => name === source.component),
    ),
  );
  const previousImages = before
    .filter(({ name }) => !selected.some((each) => each.name === name))
    .filter(({ name }) => declared === null || declared.some((each) => each.name === name))
    .flatMap(fromRelease);
  const components = [...selected, ...previousImages];
  const [reason] = enabled.flatMap((source) => deferImage(source, components) ?? []);
  if (reason !== undefined) return { reason };
  return {
    components,
    digest: gatedDigestSet(components),
    policy: strictestPolicy(enabled),
    scheme: enabled.some(({ versionScheme }) => versionScheme === 'counter') ? 'counter' : 'image',
    controllers: [
      ...enabled.flatMap(({ controllers }) => controllers),
      // The authors of a component that is carried over would approve their own image.
      ...(newest && previousImages.length > 0 ? authorsOf(newest) : []),
    ],
    versions: enabled.flatMap(({ selectedOrder, selection }) =>
      selection.kind !== 'build' && selectedOrder !== null && parse(selectedOrder) ? [selectedOrder] : [],
    ),
  };
};

/** Sentence on a set for the notes of its release. */
export const notesOf = ({ components }: ImageSet, before: readonly Component[]): string => {
  const changed = components.filter(({ name, digest }) => before.find((each) => each.name === name)?.digest !== digest);
  const list = changed.map(({ name, requestedTag, digest }) => `* ${name}: ${requestedTag ?? digest}`);
  return ['Created from new images:', ...list].join('\n');
};
