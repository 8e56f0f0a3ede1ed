import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { isJsonObject, parseJson } from '../core/json.ts';
import { type Digest, isDigest, sha256 } from '../crypto/digest.ts';
import { type ImageLabels, readLabels } from './image-labels.ts';

const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

export const MANIFEST_TYPES = [OCI_INDEX, OCI_MANIFEST, DOCKER_LIST, DOCKER_MANIFEST].join(', ');

const digest = Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }));

const entry = Type.Object({
  digest,
  platform: Type.Optional(
    Type.Object({ os: Type.String(), architecture: Type.String(), variant: Type.Optional(Type.String()) }),
  ),
});

const index = Compile(Type.Object({ mediaType: Type.Optional(Type.String()), manifests: Type.Array(entry) }));

const image = Compile(
  Type.Object({
    mediaType: Type.Optional(Type.String()),
    config: Type.Object({ digest }),
    layers: Type.Array(Type.Object({ digest })),
  }),
);

/** Manifest or index with the digest of the bytes that were read. */
export interface Manifest {
  readonly digest: Digest;
  readonly mediaType: string;
  /** The platforms of an index, by name; empty for the manifest of one image. */
  readonly platforms: readonly { readonly platform: string; readonly digest: Digest }[];
  /** Labels in its annotations. */
  readonly labels: ImageLabels;
  /** Digest of an image's configuration; null for an index. */
  readonly config: Digest | null;
}

const nameOf = ({ os, architecture, variant }: NonNullable<Static<typeof entry>['platform']>): string =>
  [os, architecture, ...(variant ? [variant] : [])].join('/');

/** The first entry of a platform is the one a runtime takes; `unknown/unknown` marks attestations, not images. */
const platformsOf = (entries: readonly Static<typeof entry>[]): Manifest['platforms'] => {
  const named = entries.flatMap(({ platform, digest: child }): [string, Digest][] =>
    platform && platform.os !== 'unknown' ? [[nameOf(platform), child]] : [],
  );
  return [...new Map(named.toReversed())]
    .map(([platform, child]) => ({ platform, digest: child }))
    .toSorted((a, b) => (a.platform < b.platform ? -1 : 1));
};

/** Media type of the document itself, else the content type without its parameters. */
const typeOf = (own: string | undefined, contentType: string): string =>
  own ?? contentType.split(';', 1)[0]?.trim() ?? '';

/** Reads an image manifest or index, or the problem with it. A document that fits both is neither (CVE-2021-41190). */
export const readManifest = (bytes: Buffer, contentType: string): Manifest | string => {
  const document = parseJson(bytes);
  const labels = readLabels(isJsonObject(document) ? document.annotations : undefined);
  const isIndex = index.Check(document);
  const isImage = image.Check(document);
  if (isIndex && isImage) return 'The document claims to be both an image and an index.';
  if (isIndex) {
    const mediaType = typeOf(document.mediaType, contentType);
    if (mediaType !== OCI_INDEX && mediaType !== DOCKER_LIST) return `An index of the type ${mediaType} is not known.`;
    return { digest: sha256(bytes), mediaType, platforms: platformsOf(document.manifests), labels, config: null };
  }
  if (isImage) {
    const mediaType = typeOf(document.mediaType, contentType);
    if (mediaType !== OCI_MANIFEST && mediaType !== DOCKER_MANIFEST)
      return `A manifest of the type ${mediaType} is not known.`;
    return { digest: sha256(bytes), mediaType, platforms: [], labels, config: document.config.digest };
  }
  return 'The document is neither an image manifest nor an image index.';
};

/** Mismatch of a manifest's digest with the registry's or the reference's, in words. Undefined if they match. */
export const checkDigest = (
  { digest: actual }: Manifest,
  claimed: string | undefined,
  reference: string,
): string | undefined => {
  if (claimed !== undefined && claimed !== actual) return `The registry says ${claimed}, the bytes are ${actual}.`;
  if (isDigest(reference) && reference !== actual) return `${reference} was asked for, the bytes are ${actual}.`;
  return undefined;
};
