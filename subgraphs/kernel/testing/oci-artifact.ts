import { type Digest, digestHex, sha256 } from '../crypto/digest.ts';
import { type Image, type Manifest, mediaTypes } from './oci-image.ts';

/** Layer of an artifact: a signature, a bundle, an envelope. */
export type ArtifactLayer = Readonly<{
  mediaType: string;
  content: Buffer;
  annotations?: Readonly<Record<string, string>>;
}>;

type ArtifactDescription = Readonly<{
  layers: readonly ArtifactLayer[];
  /** Subject in the referrers API (OCI image-spec 1.1); cosign's tags have none. */
  subject?: Readonly<{ digest: Digest; mediaType: string; bytes: Buffer }>;
  artifactType?: string;
}>;

const EMPTY = Buffer.from('{}');
const EMPTY_TYPE = 'application/vnd.oci.empty.v1+json';

const describe = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: sha256(bytes), size: bytes.length });

const document = (mediaType: string, value: Readonly<Record<string, unknown>>): Manifest => {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...value }));
  return { digest: sha256(bytes), mediaType, bytes };
};

/** Builds an artifact that is attached to an image (OCI image-spec 1.1, manifest.md, guidelines for artifact usage). */
export const buildArtifact = ({ layers, subject, artifactType }: ArtifactDescription): Image => {
  const manifest = document(mediaTypes.manifest, {
    ...(artifactType !== undefined && { artifactType }),
    config: describe(EMPTY_TYPE, EMPTY),
    layers: layers.map(({ mediaType, content, annotations }) => ({
      ...describe(mediaType, content),
      ...(annotations && { annotations }),
    })),
    ...(subject && { subject: describe(subject.mediaType, subject.bytes) }),
  });
  const blobs = new Map([EMPTY, ...layers.map(({ content }) => content)].map((bytes) => [sha256(bytes), bytes]));
  return { digest: manifest.digest, manifests: [manifest], blobs, platform: '' };
};

/** Builds the index that replaces the referrers API under the tag `sha256-<hex>` (distribution-spec 1.1). */
export const buildReferrersIndex = (artifacts: readonly Image[]): Image => {
  const manifests = artifacts.map(({ manifests: [manifest] }) => manifest);
  const index = document(mediaTypes.index, { manifests: manifests.map(descriptorOf) });
  const blobs = new Map(artifacts.flatMap((artifact) => [...artifact.blobs]));
  return { digest: index.digest, manifests: [index, ...manifests], blobs, platform: '' };
};

/** Descriptor of an artifact in a list of referrers. */
export const descriptorOf = ({ mediaType, bytes }: Manifest) => {
  const { artifactType, config } = JSON.parse(bytes.toString('utf8'));
  return { ...describe(mediaType, bytes), artifactType: artifactType ?? config?.mediaType };
};

/** Tag of an artifact beside an image: that of the referrers fallback, or cosign's with its suffix. */
export const tagFor = (digest: Digest, suffix = ''): string => `sha256-${digestHex(digest)}${suffix}`;
