import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '@landfall/kernel/core/fault';
import { createDigester } from '@landfall/kernel/crypto/digest';
import { extract, type Header, pack } from 'tar-stream';
import type { KitComponent, KitManifest, KitPart } from './manifest.ts';

/** File name of a part of an archive, from 1. */
export const partFile = (index: number): string => `part-${String(index).padStart(5, '0')}`;

/** Component with the file that has its content. */
export interface ComponentFile {
  readonly component: KitComponent;
  readonly file: string;
}

/** Streams the tar archive of some files. The same files give the same bytes: without times and owners. */
const archiveOf = (files: readonly ComponentFile[]): AsyncIterable<unknown> => {
  const archive = pack();
  const write = async (): Promise<void> => {
    for (const { component, file } of files) {
      const entry = archive.entry({
        name: component.path,
        size: component.size,
        mtime: new Date(0),
        mode: 0o644,
        uid: 0,
        gid: 0,
        uname: '',
        gname: '',
      });
      await pipeline(createReadStream(file), entry);
    }
    archive.finalize();
  };
  write().catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))));
  return archive;
};

/** Writes bytes to numbered parts of a fixed size, each with its hash. */
const createPartWriter = (directory: string, partSize: number) => {
  const parts: KitPart[] = [];
  let part:
    | { readonly handle: FileHandle; readonly digester: ReturnType<typeof createDigester>; size: number }
    | undefined;

  const end = async (): Promise<void> => {
    if (!part) return;
    const { handle, digester, size } = part;
    part = undefined;
    await handle.sync();
    await handle.close();
    parts.push({ index: parts.length + 1, size, hash: digester.digest() });
  };

  return {
    parts,
    end,
    async write(bytes: Uint8Array): Promise<void> {
      for (let at = 0; at < bytes.length; ) {
        part ??= {
          handle: await open(join(directory, partFile(parts.length + 1)), 'wx'),
          digester: createDigester(),
          size: 0,
        };
        const piece = bytes.subarray(at, at + partSize - part.size);
        await part.handle.appendFile(piece);
        part.digester.add(piece);
        part.size += piece.length;
        at += piece.length;
        if (part.size === partSize) await end();
      }
    },
  };
};

/** Writes the archive of some files into parts below a directory. */
export const writeArchive = async (
  files: readonly ComponentFile[],
  directory: string,
  partSize: number,
): Promise<KitManifest['archive']> => {
  const writer = createPartWriter(directory, partSize);
  const whole = createDigester();
  let size = 0;
  for await (const chunk of archiveOf(files)) {
    if (!Buffer.isBuffer(chunk)) continue;
    whole.add(chunk);
    size += chunk.length;
    await writer.write(chunk);
  }
  await writer.end();
  return { hash: whole.digest(), size, parts: writer.parts };
};

/** Bytes of the parts below a directory, one after the other. */
async function* joined(directory: string, parts: readonly KitPart[]): AsyncGenerator<Uint8Array> {
  for (const { index } of parts) yield* createReadStream(join(directory, partFile(index)));
}

const unsafe = (path: string, problem: string): Fault =>
  new Fault('kit_archive_unsafe', `The archive's entry ${JSON.stringify(path.slice(0, 200))} ${problem}.`, {
    path: path.slice(0, 200),
  });

const mismatch = (path: string, problem: string): Fault =>
  new Fault('kit_content_mismatch', `The component ${path} ${problem}.`, { path });

/** Component of an entry. Only plain files that the manifest declares, each once and in its size, are written. */
const declaredBy = (declared: Map<string, KitComponent>, { name, type, size }: Header): KitComponent => {
  if (type !== 'file') throw unsafe(name, `is a ${type}, and not a file`);
  const component = declared.get(name);
  if (!component) throw unsafe(name, 'is not declared by the manifest, or is there twice');
  if (component.size !== size) throw mismatch(name, `has ${size} bytes, ${component.size} are declared`);
  declared.delete(name);
  return component;
};

const writeComponent = async (entry: AsyncIterable<unknown>, component: KitComponent, file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const digester = createDigester();
  await using handle = await open(file, 'wx', 0o600);
  for await (const chunk of entry) {
    if (!Buffer.isBuffer(chunk)) continue;
    digester.add(chunk);
    await handle.appendFile(chunk);
  }
  const hash = digester.digest();
  if (hash !== component.hash) throw mismatch(component.path, `is ${hash}, ${component.hash} is declared`);
  await handle.sync();
};

/**
 * Extracts the parts of a kit's archive into an empty directory. Nothing is written that the manifest does not declare,
 * and never more than it declares.
 * @throws Fault kit_archive_unsafe, kit_content_mismatch
 */
export const extractArchive = async (
  { archive, components }: Pick<KitManifest, 'archive' | 'components'>,
  partsDirectory: string,
  directory: string,
): Promise<void> => {
  const declared = new Map(components.map((component) => [component.path, component]));
  const whole = createDigester();
  const reader = extract();
  const reading = pipeline(
    Readable.from(joined(partsDirectory, archive.parts)),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        whole.add(chunk);
        yield chunk;
      }
    },
    reader,
  );
  // The loop below reports what fails; without a handler the same failure would end the process.
  reading.catch(() => undefined);
  try {
    for await (const entry of reader) {
      const component = declaredBy(declared, entry.header);
      await writeComponent(entry, component, join(directory, component.path));
    }
    await reading;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw unsafe('', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [missing] = declared.keys();
  if (missing !== undefined) throw mismatch(missing, 'is missing in the archive');
  if (whole.digest() !== archive.hash) throw mismatch('archive', 'is not the one that the manifest declares');
};
