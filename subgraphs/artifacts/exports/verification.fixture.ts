import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { createArtifacts, recipe, sealed, tarBytes, unpacked } from './export.fixture.ts';
import { ExportRefused, verifyExport } from './verification.ts';

export const verify = (tar: Buffer, trust?: string) =>
  verifyExport(Readable.from([gzipSync(tar, { level: 0 })]), trust);

type Said = Awaited<ReturnType<typeof recipe>>;

export const isAccepted = ({ sh, python, codes }: Said) => {
  assert.match(sh, /^OK: bundle .* by a key that was valid then$/);
  assert.match(python, /^WHOLE: bundle .* signature and timestamp NOT checked/);
  assert.deepEqual(codes, [0, 2]);
};

/** Without a trust document from elsewhere: whoever made the archive made its keys as well. */
export const isWhole = ({ sh, python, codes }: Said) => {
  assert.match(sh, /^WHOLE: bundle .* only by the keys in this archive/);
  assert.match(python, /^WHOLE: bundle .* signature and timestamp NOT checked/);
  assert.deepEqual(codes, [2, 2]);
};

export const isRefused = ({ sh, python }: Said, file: string) => {
  assert.match(sh, /^REFUSED: check \d: /m, file);
  assert.match(python, /^REFUSED: /m, file);
};

/** Flips a bit in each file of an export whose name fits. @returns the number of files */
export const flipInFiles = async (name: RegExp): Promise<number> => {
  const { artifacts, reader } = createArtifacts(1);
  await using files = await unpacked(await sealed({ artifacts }), reader);
  const { home } = files;
  const found = (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('verify.') && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of found) {
    const bytes = await readFile(file);
    const changed = Buffer.from(bytes);
    const at = Math.floor(bytes.length / 2);
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(file, changed);
    isRefused(await recipe(home), file);
    await writeFile(file, bytes);
  }
  isWhole(await recipe(home));
  return found.length;
};

/** Flips bits in the first header of the tar file, then in a sample of its bytes: each is a run of the whole verifier. */
export const flipInTar = async (sparseness: number): Promise<void> => {
  const { artifacts, reader } = createArtifacts(1);
  const tar = await tarBytes(await sealed({ artifacts }), reader);
  await verify(tar);
  const positions: number[] = [];
  for (let at = 0; at < 512; at += 3 * sparseness) positions.push(at);
  for (let at = 512; at < tar.length; at += 211 * sparseness) positions.push(at);
  for (const at of positions) {
    const changed = Buffer.from(tar);
    changed.writeUInt8(tar.readUInt8(at) ^ 1, at);
    await assert.rejects(verify(changed), ExportRefused, `byte ${at}`);
  }
};
