import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Digest, sha256 } from '../crypto/digest.ts';

/**
 * Entry of a tar archive. `content` makes a file, `linkTo` a symbolic link, `hardLinkTo` a hard link, none of them a
 * directory.
 */
export type TarEntry = Readonly<{
  path: string;
  content?: string | Uint8Array;
  linkTo?: string;
  hardLinkTo?: string;
  /** A raw ustar type flag, for entries that no honest layer has: `3` character device, `6` FIFO. */
  type?: string;
  mode?: number;
}>;

type LayerCompression = 'none' | 'gzip' | 'zstd';

/** The runtime part of an image configuration (OCI image-spec, config.md). */
type ImageSettings = Readonly<{
  Entrypoint?: readonly string[];
  Cmd?: readonly string[];
  Env?: readonly string[];
  WorkingDir?: string;
  Labels?: Readonly<Record<string, string>>;
}>;

type ImageDescription = Readonly<{
  layers: readonly (readonly TarEntry[])[];
  config?: ImageSettings;
  /** Platform `os/architecture`; that of this process by default. */
  platform?: string;
  compression?: LayerCompression;
}>;

/** Document of a registry: a manifest or an index, with the type that it is served as. */
export type Manifest = Readonly<{ digest: Digest; mediaType: string; bytes: Buffer }>;

/** Contents of a push: the manifest of the tag first, then those it refers to, and every blob by digest. */
export type Image = Readonly<{
  digest: Digest;
  manifests: readonly [Manifest, ...Manifest[]];
  blobs: ReadonlyMap<Digest, Buffer>;
  platform: string;
}>;

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: { none: '', gzip: '+gzip', zstd: '+zstd' },
} as const;

const block = 512;
const flagOf = (entry: TarEntry): string => {
  if (entry.type !== undefined) return entry.type;
  if (entry.linkTo !== undefined) return '2';
  if (entry.hardLinkTo !== undefined) return '1';
  return entry.content === undefined ? '5' : '0';
};

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

const header = (entry: TarEntry, size: number): Buffer => {
  const flag = flagOf(entry);
  if (Buffer.byteLength(entry.path) > 100) throw new RangeError(`path too long for ustar: ${entry.path}`);
  const bytes = Buffer.alloc(block);
  bytes.write(entry.path, 0);
  bytes.write(octal(entry.mode ?? (flag === '5' ? 0o755 : 0o644), 8) + octal(0, 8) + octal(0, 8), 100);
  bytes.write(octal(size, 12) + octal(0, 12), 124);
  bytes.write(' '.repeat(8), 148);
  bytes.write(flag, 156);
  bytes.write(entry.linkTo ?? entry.hardLinkTo ?? '', 157);
  bytes.write('ustar\u000000', 257);
  // The checksum is computed with its own field as blanks.
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
};

/** Builds a POSIX ustar archive with every owner and time zero, so equal entries give equal bytes. */
export const tar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry) => {
      const body = Buffer.from(entry.content ?? '');
      return [header(entry, body.length), body, Buffer.alloc((block - (body.length % block)) % block)];
    }),
    Buffer.alloc(2 * block),
  ]);

const compress = (bytes: Buffer, compression: LayerCompression): Buffer => {
  if (compression === 'gzip') return gzipSync(bytes);
  return compression === 'zstd' ? zstdCompressSync(bytes) : bytes;
};

const architectures: Readonly<Record<string, string>> = { x64: 'amd64' };

/** Platform of this process as registries write it, such as `linux/amd64`. */
export const hostPlatform = `${process.platform}/${architectures[process.arch] ?? process.arch}`;

const document = (mediaType: string, value: Readonly<Record<string, unknown>>): Manifest => {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...value }));
  return { digest: sha256(bytes), mediaType, bytes };
};

/** Builds an OCI image in memory. The same description gives the same digests on every machine. */
export const buildImage = ({
  layers,
  config,
  platform = hostPlatform,
  compression = 'gzip',
}: ImageDescription): Image => {
  const blobs = new Map<Digest, Buffer>();
  const put = (mediaType: string, bytes: Buffer) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const archives = layers.map(tar);
  const [os, architecture] = platform.split('/');
  const settings = {
    os,
    architecture,
    config: config ?? {},
    rootfs: { type: 'layers', diff_ids: archives.map((archive) => sha256(archive)) },
  };
  const manifest = document(mediaTypes.manifest, {
    config: put(mediaTypes.config, Buffer.from(JSON.stringify(settings))),
    layers: archives.map((archive) =>
      put(`application/vnd.oci.image.layer.v1.tar${mediaTypes.layer[compression]}`, compress(archive, compression)),
    ),
  });
  return { digest: manifest.digest, manifests: [manifest], blobs, platform };
};

/** Builds an image index over single-platform images (OCI image-spec, image-index.md). */
export const buildIndex = (images: readonly Image[]): Image => {
  const index = document(mediaTypes.index, {
    manifests: images.map(({ manifests: [manifest], platform }) => {
      const [os, architecture] = platform.split('/');
      const { mediaType, digest, bytes } = manifest;
      return { mediaType, digest, size: bytes.length, platform: { os, architecture } };
    }),
  });
  return {
    digest: index.digest,
    manifests: [index, ...images.flatMap(({ manifests }) => manifests)],
    blobs: new Map(images.flatMap(({ blobs }) => [...blobs])),
    platform: images.map(({ platform }) => platform).join(','),
  };
};
