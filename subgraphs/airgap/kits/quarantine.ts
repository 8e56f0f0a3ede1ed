import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '@landfall/kernel/core/fault';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { createDigester } from '@landfall/kernel/crypto/digest';
import { extractArchive, partFile } from './archive.ts';
import { type KitManifest, type KitPart, MANIFEST_FILE } from './manifest.ts';

const CHUNK = 1_048_576;
const MAX_MANIFEST_BYTES = 16_777_216;
/** Kits of a tenant in the quarantine at once. */
const MAX_QUARANTINED = 20;

const isAbsent = (error: unknown): boolean => systemErrorCodeOf(error) === 'ENOENT';

const unsafe = (name: string, problem: string): Fault =>
  new Fault('kit_archive_unsafe', `${name} is ${problem}. A kit has plain files in a plain folder only.`, { name });

/** Refuses a folder that is a link: it may lead anywhere. */
const expectFolder = async (source: string): Promise<void> => {
  const found = await lstat(source).catch(() => undefined);
  if (found?.isSymbolicLink()) throw unsafe(basename(source), 'a link');
};

const openHandle = async (path: string): Promise<FileHandle | undefined> => {
  const name = basename(path);
  try {
    // Without O_NONBLOCK the opening of a named pipe would wait for its writer.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    const code = systemErrorCodeOf(error);
    if (code === 'ELOOP') throw unsafe(name, 'a link');
    if (code === 'ENXIO' || code === 'ENODEV') throw unsafe(name, 'a device or a socket');
    throw new Fault('SYS_STORAGE_ERROR', `${name} cannot be read.`, { name }, [], { cause: error });
  }
};

/** Opens a plain file of a medium; undefined where there is none. @throws Fault kit_archive_unsafe */
const openPlain = async (source: string, name: string): Promise<FileHandle | undefined> => {
  await expectFolder(source);
  const handle = await openHandle(join(source, name));
  if (!handle || (await handle.stat()).isFile()) return handle;
  await handle.close();
  throw unsafe(name, 'no file');
};

/** Text of a plain file; undefined where there is none. @throws Fault kit_archive_unsafe, VAL_TOO_LONG */
export const readPlainFile = async (source: string, name: string, maxBytes: number): Promise<string | undefined> => {
  await using file = await openPlain(source, name);
  const { size } = (await file?.stat()) ?? { size: 0 };
  if (size > maxBytes) throw new Fault('VAL_TOO_LONG', `${name} has ${size} bytes; at most ${maxBytes} are read.`);
  return await file?.readFile('utf8');
};

/** Text of the manifest on a medium. @throws Fault RES_NOT_FOUND, kit_archive_unsafe, VAL_TOO_LONG */
export const readManifestFile = async (source: string): Promise<string> => {
  const text = await readPlainFile(source, MANIFEST_FILE, MAX_MANIFEST_BYTES);
  if (text !== undefined) return text;
  throw new Fault('RES_NOT_FOUND', `There is no ${MANIFEST_FILE} in the folder ${basename(source)}.`);
};

const foreign = ({ index, hash, size }: KitPart, actual: string): Fault =>
  new Fault(
    'kit_part_foreign',
    `Part ${index} is not of this kit: it is ${actual}, ${hash} of ${size} bytes is declared.`,
    {
      part: index,
    },
  );

/** Copies a part and hashes it, at most as many bytes as are declared. */
const copyPart = async (from: FileHandle, to: string, part: KitPart): Promise<void> => {
  const { size } = await from.stat();
  if (size !== part.size) throw foreign(part, `${size} bytes long`);
  const digester = createDigester();
  await using target = await open(to, 'w', 0o600);
  const buffer = Buffer.allocUnsafe(CHUNK);
  let copied = 0;
  while (copied <= part.size) {
    const { bytesRead } = await from.read(buffer, 0, CHUNK);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    copied += bytesRead;
    digester.add(piece);
    await target.appendFile(piece);
  }
  const hash = digester.digest();
  if (copied !== part.size || hash !== part.hash) throw foreign(part, hash);
  await target.sync();
};

const hashOf = async (path: string): Promise<string> => {
  const digester = createDigester();
  for await (const chunk of createReadStream(path)) if (Buffer.isBuffer(chunk)) digester.add(chunk);
  return digester.digest();
};

const exists = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/** Refuses one more kit where many lie already. @throws Fault RES_CONFLICT */
const expectRoom = async (directory: string): Promise<void> => {
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const kept = await readdir(dirname(directory));
  if (kept.includes(basename(directory)) || kept.length < MAX_QUARANTINED) return;
  throw new Fault(
    'RES_CONFLICT',
    `${kept.length} kits are in the quarantine, which is all that it takes. Finish their imports first, or wait: what no import wants goes after a day, what waits for parts after 30.`,
    { kits: kept.length },
  );
};

/** Refuses a kit that would fill the disk: its parts and its extracted files lie there at once. @throws Fault SYS_STORAGE_ERROR */
const expectSpace = async (parts: string, { size }: KitManifest['archive']): Promise<void> => {
  const { bavail, bsize } = await statfs(parts);
  // A file that another process takes away meanwhile counts as nothing.
  const sizeOf = async (name: string) => (await stat(join(parts, name)).catch(() => undefined))?.size ?? 0;
  const kept = await Promise.all((await readdir(parts)).map(sizeOf));
  const needed = 2 * size - kept.reduce((sum, each) => sum + each, 0);
  if (needed <= bavail * bsize) return;
  throw new Fault('SYS_STORAGE_ERROR', `The kit needs ${needed} bytes; the disk has ${bavail * bsize} left.`, {
    needed,
  });
};

/**
 * Directory in which a kit is put together before anything of it is used. Each lease extracts into a folder of its own, so that
 * an overtaken worker changes nothing of the one that follows it.
 */
export const createQuarantine = (directory: string, lease = '0') => {
  const parts = join(directory, 'parts');
  const files = join(directory, `files-${lease}`);

  /** Copies one part from a medium. Returns false where the medium has none. */
  const collectPart = async (source: string | undefined, part: KitPart): Promise<boolean> => {
    const kept = join(parts, partFile(part.index));
    // A part gets its name once it is verified, so one that has it was verified, also before a restart.
    if (await exists(kept)) return true;
    await using from = source === undefined ? undefined : await openPlain(source, partFile(part.index));
    if (!from) return false;
    // The command and the worker may take the same part at once, each into a file of its own.
    const incoming = `${kept}.${randomUUID()}.incoming`;
    try {
      await copyPart(from, incoming, part);
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
    await rename(incoming, kept);
    return true;
  };

  /** Removes the parts that changed after they were verified, and returns their numbers. */
  const dropDamaged = async ({ parts: declared }: KitManifest['archive']): Promise<readonly number[]> => {
    const damaged: number[] = [];
    for (const { index, hash } of declared) {
      const kept = join(parts, partFile(index));
      if ((await hashOf(kept)) === hash) continue;
      await rm(kept);
      damaged.push(index);
    }
    return damaged;
  };

  return {
    files,
    /**
     * Collects the parts that a medium has, in any order, and returns the numbers of those that are still missing.
     * @throws Fault kit_part_foreign, kit_archive_unsafe, RES_CONFLICT, SYS_STORAGE_ERROR
     */
    async collectParts(
      source: string | undefined,
      { archive }: Pick<KitManifest, 'archive'>,
      step: (done: number, total: number) => Promise<void> = async () => undefined,
    ): Promise<readonly number[]> {
      await expectRoom(directory);
      await mkdir(parts, { recursive: true, mode: 0o700 });
      await expectSpace(parts, archive);
      const missing: number[] = [];
      for (const part of archive.parts) {
        if (!(await collectPart(source, part))) missing.push(part.index);
        await step(part.index - missing.length, archive.parts.length);
      }
      return missing;
    },

    /** Extracts what was collected, again from the start after a crash, until it is disposed of. @throws Fault kit_* */
    async extract(manifest: Pick<KitManifest, 'archive' | 'components'>): Promise<AsyncDisposable> {
      await rm(files, { recursive: true, force: true });
      await mkdir(files, { recursive: true, mode: 0o700 });
      try {
        await extractArchive(manifest, parts, files);
        return { [Symbol.asyncDispose]: () => rm(files, { recursive: true, force: true }) };
      } catch (error) {
        await rm(files, { recursive: true, force: true });
        const damaged = await dropDamaged(manifest.archive);
        if (damaged.length === 0) throw error;
        throw new Fault(
          'kit_part_foreign',
          `The kept parts ${damaged.join(', ')} were damaged on this disk and are dropped. Import their medium again.`,
          { parts: damaged },
        );
      }
    },

    /** Text of an extracted component. */
    text: (path: string): Promise<string> => readFile(join(files, path), 'utf8'),
    remove: (): Promise<void> => rm(directory, { recursive: true, force: true }),
  };
};

export type Quarantine = ReturnType<typeof createQuarantine>;
