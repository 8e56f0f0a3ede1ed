import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Digest, digestHex, isDigest, sha256 } from '@landfall/kernel/crypto/digest';
import { failure } from '../protocol/failure.ts';
import type { Component } from '../protocol/messages.ts';
import { platformDigestFor } from '../protocol/platform.ts';
import type { Distribution } from './distribution.ts';
import { fingerprint, firstDifference, listTree, treeShape } from './file-tree.ts';
import {
  compressionOf,
  type ImageConfig,
  type ImageManifest,
  readConfig,
  readDocument,
  refused,
} from './image-documents.ts';
import { type Layer, type UnpackLimits, unpack } from './unpack.ts';

/** Component's fetched and verified documents: the gated one, and the manifest for this platform (rulings 50). */
export type Resolved = Readonly<{
  component: Component;
  manifestDigest: Digest;
  platformDigest: Digest;
  manifest: ImageManifest;
  bytes: Buffer;
}>;

/** Complete release on disk. `root` is the image's file tree. */
export type Release = Readonly<{ digest: Digest; directory: string; root: string; config: ImageConfig }>;

/** Identity of a tree: the digest of its release, or the reason why it is unknown. */
export type Identity = Readonly<{ digest: Digest | null; reason: string | null }>;

const hashFile = async (path: string): Promise<string> => {
  const hasher = createHash('sha256');
  await pipeline(createReadStream(path), hasher);
  return `sha256:${hasher.digest('hex')}`;
};

const unsupported = (raw: string) => failure('DEPLOY_PULL_FAILED', 'platform-unsupported', raw);

/**
 * Creates the store of releases under `directory`: `blobs/` caches fetched blobs by digest; `rel/<hex of the platform
 * manifest>/` holds an unpacked release and, outside its tree, the manifest's bytes and the record of unpacked files. A
 * release directory is created by one rename, so an existing one is complete. Unpacked releases may be readable for
 * other users, fetched blobs never.
 */
export const createReleases = (
  directory: string,
  platform: string,
  limits: UnpackLimits,
  readers: 'agent' | 'everybody' = 'agent',
) => {
  const blobs = join(directory, 'blobs');
  const rel = join(directory, 'rel');
  const partial = join(directory, 'partial');
  const verified = new Map<Digest, string>();

  const blobPath = (digest: Digest): string => join(blobs, digestHex(digest));
  const releaseAt = (digest: Digest) => {
    const at = join(rel, digestHex(digest));
    return { at, root: join(at, 'root'), manifest: join(at, 'manifest.json'), tree: join(at, 'tree.json') };
  };

  const document = async (distribution: Distribution, repository: string, digest: Digest, signal: AbortSignal) => {
    const cached = await readFile(blobPath(digest)).catch(() => undefined);
    if (cached && sha256(cached) === digest) return cached;
    const bytes = await distribution.manifest(repository, digest, signal);
    const temporary = join(partial, randomUUID());
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, blobPath(digest));
    return bytes;
  };

  /** Ensures that a blob is in the cache; returns the number of bytes received over the network. */
  const blob = async (
    distribution: Distribution,
    repository: string,
    requested: Readonly<{ digest: Digest; size: number }>,
    signal: AbortSignal,
  ): Promise<number> => {
    const path = blobPath(requested.digest);
    if ((await stat(path).catch(() => undefined)) && (await hashFile(path)) === requested.digest) return 0;
    const temporary = join(partial, randomUUID());
    try {
      await distribution.blob(repository, requested, temporary, signal);
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    return requested.size;
  };

  const readRelease = async (digest: Digest): Promise<Release | undefined> => {
    const { at, root, manifest } = releaseAt(digest);
    const bytes = await readFile(manifest).catch(() => undefined);
    if (!bytes) return undefined;
    const document = readDocument(bytes);
    if (document.kind === 'index') return undefined;
    const config = await readFile(blobPath(document.manifest.config.digest)).catch(() => undefined);
    return config && { digest, directory: at, root, config: readConfig(config) };
  };

  const layersOf = (manifest: ImageManifest, config: ImageConfig): readonly Layer[] => {
    const diffIds = config.rootfs.diff_ids;
    if (diffIds.length !== manifest.layers.length)
      throw refused('the configuration counts other layers than the manifest');
    return manifest.layers.flatMap((layer, index): Layer[] => {
      const diffId = diffIds[index];
      return diffId ? [{ file: blobPath(layer.digest), compression: compressionOf(layer), diffId }] : [];
    });
  };

  // Two targets may want the same release at once; one unpacks it, the other finds it.
  let building: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const next = building.then(work, work);
    building = next.catch(() => undefined);
    return next;
  };

  const build = async (resolved: Resolved, layers: readonly Layer[], signal: AbortSignal): Promise<void> => {
    const { platformDigest, bytes } = resolved;
    const temporary = join(partial, randomUUID());
    try {
      const root = join(temporary, 'root');
      await mkdir(root, { recursive: true });
      await unpack(root, layers, limits, signal);
      await writeFile(join(temporary, 'tree.json'), JSON.stringify(await listTree(root)));
      await writeFile(join(temporary, 'manifest.json'), bytes);
      const { at } = releaseAt(platformDigest);
      await rm(at, { recursive: true, force: true });
      await rename(temporary, at);
      verified.delete(platformDigest);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  };

  const identify = async (digest: Digest): Promise<Identity> => {
    const { root, manifest, tree } = releaseAt(digest);
    const bytes = await readFile(manifest).catch(() => undefined);
    if (!bytes) return { digest: null, reason: 'the running directory is no release of this agent' };
    const actual = sha256(bytes);
    const recorded: unknown = JSON.parse(await readFile(tree, 'utf8').catch(() => 'null'));
    if (!treeShape.Check(recorded)) return { digest: null, reason: 'the record of the unpacked tree is missing' };
    const witness = await fingerprint(root, recorded);
    if (verified.get(digest) === witness) return { digest: actual, reason: null };
    const changed = await firstDifference(root, recorded);
    if (changed === undefined) {
      verified.set(digest, witness);
      return { digest: actual, reason: null };
    }
    // A tree that is no longer what its manifest says has a digest of its own, so it can never pass for the gated one.
    return {
      digest: sha256(JSON.stringify(await listTree(root))),
      reason: `changed after it was unpacked: ${changed}`,
    };
  };

  return {
    root: rel,

    /** Creates the directories and removes the remains of an interrupted pull. */
    async open(): Promise<void> {
      await rm(partial, { recursive: true, force: true });
      for (const path of [blobs, partial]) await mkdir(path, { recursive: true, mode: 0o700 });
      await mkdir(rel, { recursive: true, mode: readers === 'agent' ? 0o700 : 0o755 });
    },

    /** Fetches the gated document and, for an index, this platform's manifest; verifies both digests. */
    async resolve(distribution: Distribution, component: Component, signal: AbortSignal): Promise<Resolved> {
      const { repository, digest } = component;
      const gated = await document(distribution, repository, digest, signal);
      const outer = readDocument(gated);
      const manifestDigest = sha256(gated);
      if (outer.kind === 'manifest')
        return { component, manifestDigest, platformDigest: digest, manifest: outer.manifest, bytes: gated };
      const child = platformDigestFor(outer.children, platform);
      if (!child) throw unsupported(`${repository}@${digest} has no manifest for ${platform}`);
      const known = platformDigestFor(component.platforms, platform);
      if (known !== undefined && known !== child)
        throw failure(
          'DEPLOY_DIGEST_VERIFICATION_FAILED',
          'digest-mismatch',
          `the index names ${child}, the release ${known}`,
        );
      const bytes = await document(distribution, repository, child, signal);
      const inner = readDocument(bytes);
      if (inner.kind === 'index') throw refused(`${child} is an index inside an index`);
      return { component, manifestDigest, platformDigest: child, manifest: inner.manifest, bytes };
    },

    /** Fetches every blob of the image unless its release is intact; returns the bytes received over the network. */
    async fetch(distribution: Distribution, resolved: Resolved, signal: AbortSignal): Promise<number> {
      const { component, manifest, platformDigest } = resolved;
      if ((await readRelease(platformDigest)) && (await identify(platformDigest)).digest === platformDigest) return 0;
      let bytes = 0;
      for (const requested of [manifest.config, ...manifest.layers])
        bytes += await blob(distribution, component.repository, requested, signal);
      return bytes;
    },

    /** Unpacks the release of fetched blobs, unless it is there. A changed tree is rebuilt. */
    prepare: (resolved: Resolved, signal: AbortSignal): Promise<Release> =>
      alone(async () => {
        const { manifest, platformDigest } = resolved;
        const known = await readRelease(platformDigest);
        if (known && (await identify(platformDigest)).digest === platformDigest) return known;
        const config = readConfig(await readFile(blobPath(manifest.config.digest)));
        if (`${config.os}/${config.architecture}` !== platform)
          throw unsupported(
            `${platformDigest} is for ${config.os}/${config.architecture}, this agent runs ${platform}`,
          );
        await build(resolved, layersOf(manifest, config), signal);
        const { at, root } = releaseAt(platformDigest);
        return { digest: platformDigest, directory: at, root, config };
      }),

    read: readRelease,
    identify,

    /** Identifies the release of the tree around `path` by the bytes on disk. */
    async identifyPath(path: string): Promise<Identity> {
      const [hex = '', inner] = path.startsWith(`${rel}/`) ? path.slice(rel.length + 1).split('/') : [];
      const digest = `sha256:${hex}`;
      if (!isDigest(digest) || inner !== 'root')
        return { digest: null, reason: `it runs outside every release: ${path}` };
      return identify(digest);
    },

    /** Identifies the release of a root directory by its real path. */
    async identifyRoot(path: string): Promise<Identity | undefined> {
      const entry = await stat(path, { bigint: true }).catch(() => undefined);
      for (const name of await readdir(rel)) {
        const digest = `sha256:${name}`;
        const root = await stat(join(rel, name, 'root'), { bigint: true }).catch(() => undefined);
        if (isDigest(digest) && root && root.ino === entry?.ino && root.dev === entry.dev) return identify(digest);
      }
      return undefined;
    },

    /** Removes every release and blob that no digest of `keep` needs. */
    async prune(keep: ReadonlySet<Digest>): Promise<void> {
      const retainedBlobs = new Set<string>();
      for (const digest of keep) {
        const bytes = await readFile(releaseAt(digest).manifest).catch(() => undefined);
        const document = bytes && readDocument(bytes);
        retainedBlobs.add(digestHex(digest));
        if (document?.kind !== 'manifest') continue;
        for (const { digest: needed } of [document.manifest.config, ...document.manifest.layers])
          retainedBlobs.add(digestHex(needed));
      }
      const retainedReleases = new Set([...keep].map(digestHex));
      for (const name of await readdir(rel))
        if (!retainedReleases.has(name)) await rm(join(rel, name), { recursive: true, force: true });
      for (const name of await readdir(blobs))
        if (!retainedBlobs.has(name)) await rm(join(blobs, name), { force: true });
    },
  };
};

export type Releases = ReturnType<typeof createReleases>;
