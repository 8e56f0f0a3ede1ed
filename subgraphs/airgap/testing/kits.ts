import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Deps } from '@landfall/kernel/module';
import { buildKit, type KitInput, type KitSource } from '../kits/build.ts';
import { DOCUMENTS } from '../kits/feeds-loader.ts';
import type { SignedKit } from '../kits/manifest.ts';
import { installRoots } from '../roots/installed-root.ts';
import { type KitRoot, roots, type SignedRoot } from '../roots/root.ts';

export const NOW = new Date('2026-11-27T12:00:00Z');

/** Key of a test. */
export const testKey = (): Signer => localSigner(generateKeyPairSync('ed25519').privateKey);

/** Root with these keys, signed by all of them and by the signers besides. */
export const testRoot = async (
  keys: readonly Signer[],
  changes: Partial<KitRoot> = {},
  alsoBy: readonly Signer[] = [],
): Promise<SignedRoot> => {
  let root = roots.draft({
    version: 1,
    threshold: Math.min(2, keys.length),
    keys: keys.map(({ spki }) => spki.toString('base64')),
    expiresAt: '2027-11-27T00:00:00Z',
    revokedKits: [],
    revokedKeys: [],
    ...changes,
  });
  for (const signer of [...keys, ...alsoBy]) root = await roots.sign(root, signer);
  return root;
};

/** Temporary directory that goes with its scope. */
export const temporary = async () => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-kits-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

/** Writes files below a directory. */
const writeFiles = async (directory: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
};

export interface GivenKit extends Partial<KitInput> {
  readonly signers: readonly [Signer, ...Signer[]];
  /** Content of its files by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Builds a kit of feeds below `<directory>/kit`. */
export const testKit = async (directory: string, { signers, files, ...input }: GivenKit): Promise<SignedKit> => {
  await writeFiles(join(directory, 'sources'), files);
  const sources = Object.keys(files).map(
    (path): KitSource => ({ path, file: join(directory, 'sources', path), kind: 'feed', counts: { [DOCUMENTS]: 1 } }),
  );
  return buildKit(
    {
      kitId: '01900000-0000-7000-8000-000000000001',
      kind: 'feeds',
      channel: 'main',
      sequence: 1,
      previousKitDigest: null,
      rootVersion: 1,
      createdAt: '2026-11-27T10:00:00Z',
      expiresAt: '2026-12-27T10:00:00Z',
      partSize: 4_096,
      ...input,
    },
    sources,
    { directory: join(directory, 'kit'), signers },
  );
};

/** Installs a root, as the operator's command does. */
export const trustRoot = ({ database, clock }: Pick<Deps, 'database' | 'clock'>, root: SignedRoot): Promise<void> =>
  installRoots(database, [root], { now: clock.now(), by: 'test' });
