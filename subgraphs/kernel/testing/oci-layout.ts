import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, digestHex } from '../crypto/digest.ts';
import type { Image } from './oci-image.ts';

/** Writes an image as an OCI layout (OCI image-spec 1.1, image-layout.md) whose only name is `reference`. */
export const writeLayout = async (directory: string, image: Image, reference: string): Promise<void> => {
  const blobs = join(directory, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });
  const contents: (readonly [Digest, Buffer])[] = [
    ...image.blobs,
    ...image.manifests.map(({ digest, bytes }) => [digest, bytes] as const),
  ];
  for (const [digest, bytes] of contents) await writeFile(join(blobs, digestHex(digest)), bytes);
  const [{ mediaType, digest, bytes }] = image.manifests;
  const annotations = { 'org.opencontainers.image.ref.name': reference };
  const index = { schemaVersion: 2, manifests: [{ mediaType, digest, size: bytes.length, annotations }] };
  await writeFile(join(directory, 'index.json'), JSON.stringify(index));
  await writeFile(join(directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
};
