import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSmallFiles } from './small-files.ts';

const directory = await mkdtemp(join(tmpdir(), 'small-files-'));
after(() => rm(directory, { recursive: true }));
const file = async (name: string, content: string): Promise<string> => {
  await writeFile(join(directory, name), content);
  return join(directory, name);
};

test('files that are asked for together are each read as far as asked', async () => {
  const read = createSmallFiles();
  const paths = await Promise.all([1, 2, 3].map((number) => file(`${number}`, `content ${number}`)));
  const all = await Promise.all(paths.map((path, index) => read(path, 8 + index)));
  assert.deepEqual(
    all.map((bytes) => String(Buffer.from(bytes))),
    ['content ', 'content 2', 'content 3'],
  );
  assert.deepEqual(await read(paths[0] ?? '', 0), new Uint8Array());
});

test('a missing file, a link and a directory fail by their code, and the others are read', async () => {
  const read = createSmallFiles();
  const path = await file('whole', 'whole');
  await symlink(path, join(directory, 'link'));
  const results = await Promise.allSettled(
    ['none', 'link', '', 'whole'].map((name) => read(join(directory, name), 10)),
  );
  assert.deepEqual(
    results.map((result) => (result.status === 'rejected' ? result.reason.code : String(Buffer.from(result.value)))),
    ['ENOENT', 'ELOOP', 'EISDIR', 'whole'],
  );
});

test('reads of many turns each get their own bytes', async () => {
  const read = createSmallFiles();
  const names = Array.from({ length: 300 }, (_, index) => `many-${index}`);
  const paths = await Promise.all(names.map((name) => file(name, name)));
  const reads: Promise<Uint8Array>[] = [];
  for (const [index, path] of paths.entries()) {
    reads.push(read(path, 100));
    if (index % 7 === 0) await new Promise(setImmediate);
  }
  const contents = await Promise.all(reads);
  assert.deepEqual(
    contents.map((bytes) => String(Buffer.from(bytes))),
    names,
  );
});
