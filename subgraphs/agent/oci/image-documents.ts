import type { Digest } from '@landfall/kernel/crypto/digest';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { failure } from '../protocol/failure.ts';

/** The documents of an image (OCI image-spec 1.1; Docker's schema 2 differs only in its media types). */

const docker = 'application/vnd.docker.distribution';
const oci = 'application/vnd.oci.image';

const digest = Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }));
const descriptor = Type.Object({ mediaType: Type.String(), digest, size: Type.Integer({ minimum: 0 }) });

const platform = Type.Object({
  os: Type.String(),
  architecture: Type.String(),
  variant: Type.Optional(Type.String()),
});

const index = Type.Object({
  mediaType: Type.Optional(Type.Enum([`${oci}.index.v1+json`, `${docker}.manifest.list.v2+json`])),
  manifests: Type.Array(Type.Intersect([descriptor, Type.Object({ platform: Type.Optional(platform) })])),
  layers: Type.Optional(Type.Never()),
});

const manifest = Type.Object({
  mediaType: Type.Optional(Type.Enum([`${oci}.manifest.v1+json`, `${docker}.manifest.v2+json`])),
  config: descriptor,
  layers: Type.Array(descriptor, { maxItems: 512 }),
  manifests: Type.Optional(Type.Never()),
});

const texts = Type.Union([Type.Array(Type.String()), Type.Null()]);
const config = Type.Object({
  os: Type.String(),
  architecture: Type.String(),
  config: Type.Optional(
    Type.Object({
      Entrypoint: Type.Optional(texts),
      Cmd: Type.Optional(texts),
      Env: Type.Optional(texts),
      WorkingDir: Type.Optional(Type.String()),
    }),
  ),
  rootfs: Type.Object({ diff_ids: Type.Array(digest) }),
});

type Descriptor = Static<typeof descriptor>;
export type ImageManifest = Static<typeof manifest>;
export type ImageConfig = Static<typeof config>;

const indexShape = Compile(index);
const manifestShape = Compile(manifest);
const configShape = Compile(config);

export const refused = (raw: string, cause?: unknown) => failure('DEPLOY_PULL_FAILED', 'image-refused', raw, cause);

const parse = (bytes: Buffer, name: string): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw refused(`${name} is not JSON`, error);
  }
};

/** Gated document: an index or a manifest. One that claims to be both is refused (CVE-2021-41190). */
type Document =
  | Readonly<{ kind: 'manifest'; manifest: ImageManifest }>
  | Readonly<{ kind: 'index'; children: Readonly<Record<string, Digest>> }>;

const platformName = ({ os, architecture, variant }: Static<typeof platform>): string =>
  [os, architecture, ...(variant ? [variant] : [])].join('/');

export const readDocument = (bytes: Buffer): Document => {
  const value = parse(bytes, 'the manifest');
  if (manifestShape.Check(value)) return { kind: 'manifest', manifest: value };
  if (!indexShape.Check(value)) throw refused('the manifest is neither an image manifest nor an image index');
  // The first entry of a platform is the one a runtime takes (OCI image-index.md).
  const named = value.manifests.flatMap(({ platform: on, digest: child }): [string, Digest][] =>
    on ? [[platformName(on), child]] : [],
  );
  return { kind: 'index', children: Object.fromEntries(named.reverse()) };
};

export const readConfig = (bytes: Buffer): ImageConfig => {
  const value = parse(bytes, 'the image configuration');
  if (configShape.Check(value)) return value;
  throw refused('the image configuration lacks os, architecture or rootfs.diff_ids');
};

const layerTypes: Readonly<Record<string, 'none' | 'gzip' | 'zstd'>> = {
  [`${oci}.layer.v1.tar`]: 'none',
  [`${oci}.layer.v1.tar+gzip`]: 'gzip',
  [`${oci}.layer.v1.tar+zstd`]: 'zstd',
  'application/vnd.docker.image.rootfs.diff.tar.gzip': 'gzip',
};

/** Compression of a layer by its media type. Refuses foreign and unknown layers. */
export const compressionOf = ({ mediaType, digest: layer }: Descriptor): 'none' | 'gzip' | 'zstd' => {
  const compression = layerTypes[mediaType];
  if (compression) return compression;
  throw refused(`layer ${layer} has the media type ${mediaType}`);
};
