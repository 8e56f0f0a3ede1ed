import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDigester } from '@landfall/kernel/crypto/digest';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import { documentText } from '../roots/signed-document.ts';
import { type ComponentFile, writeArchive } from './archive.ts';
import { type KitComponent, type KitManifest, MANIFEST_FILE, type SignedKit, signManifest } from './manifest.ts';

/** File that goes into a kit. */
export interface KitSource extends Pick<KitComponent, 'path' | 'kind' | 'counts'> {
  readonly file: string;
}

export interface KitInput extends Omit<KitManifest, 'version' | 'components' | 'archive' | 'signature'> {
  /** Bytes of a part; the last one may be shorter. */
  readonly partSize: number;
}

interface KitTarget {
  readonly directory: string;
  readonly signers: readonly [Signer, ...Signer[]];
  /** Hashes of feeds that the site has already. */
  readonly omitted?: ReadonlySet<string>;
}

const measure = async ({ file, ...source }: KitSource): Promise<ComponentFile> => {
  const digester = createDigester();
  let size = 0;
  for await (const chunk of createReadStream(file)) {
    if (!Buffer.isBuffer(chunk)) continue;
    digester.add(chunk);
    size += chunk.length;
  }
  return { file, component: { ...source, size, hash: digester.digest() } };
};

const byPath = (one: KitSource, other: KitSource): number =>
  Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));

/** Builds a kit into an empty directory: the signed manifest and the parts of the archive. */
export const buildKit = async (
  { partSize, ...input }: KitInput,
  sources: readonly KitSource[],
  { directory, signers, omitted = new Set() }: KitTarget,
): Promise<SignedKit> => {
  await mkdir(directory, { recursive: true });
  const files: ComponentFile[] = [];
  for (const source of sources.toSorted(byPath)) {
    const file = await measure(source);
    if (source.kind !== 'feed' || !omitted.has(file.component.hash)) files.push(file);
  }
  const archive = await writeArchive(files, directory, partSize);
  const components = files.map(({ component }) => component);
  const kit = await signManifest({ version: 1, ...input, components, archive }, signers);
  await writeFile(join(directory, MANIFEST_FILE), documentText(kit), { flag: 'wx' });
  return kit;
};
