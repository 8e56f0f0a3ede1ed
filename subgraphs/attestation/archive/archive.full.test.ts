import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPlatform } from '../bundle/bundle.fixture.ts';
import { completed, packageOf, programs, remanifest, unpacked } from './archive.fixture.ts';

const edits: readonly { file: string; change: (text: string) => string }[] = [
  { file: 'statement.json', change: (text) => text.replace('prod', 'test') },
  { file: 'pae.bin', change: (text) => text.replace('prod', 'test') },
  { file: 'entry.json', change: (text) => text.replace('0.0.2', '0.0.3') },
  { file: 'envelope.json', change: (text) => text.replace('keyid":"', 'keyid":"0') },
  { file: 'checkpoint.note', change: (text) => text.replace('\n\n', '\n \n') },
  { file: 'signature.der', change: (text) => `${text}0` },
  { file: 'trusted_root.json', change: (text) => text.replace('2026', '2025').replace('https', 'httpx') },
  { file: 'checkpoint.txt', change: (text) => text.replace('\n8\n', '\n9\n') },
  { file: 'bundle.json', change: (text) => text.replace('"treeSize":"8"', '"treeSize":"9"') },
  {
    file: 'bundle.json',
    change: (text) => text.replace('"logIndex":"7","rootHash"', '"logIndex":"6","rootHash"'),
  },
];

test('a changed byte in any file is refused by both', programs, async () => {
  await using package_ = await unpacked(await packageOf(createPlatform()));
  const home = join(package_.root, 'custody-1');
  const files = (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/^(verify\.(sh|py)|MANIFEST\.sha256)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length > 15);
  for (const file of files) {
    const bytes = await readFile(file);
    const changed = Buffer.from(bytes);
    const at = Math.floor(bytes.length / 2);
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(file, changed);
    assert.notEqual((await completed('sh', join(home, 'verify.sh'))).code, 0, file);
    assert.notEqual((await completed('python3', join(home, 'verify.py'))).code, 0, file);
    await writeFile(file, bytes);
  }
});

test('a change is found by what it breaks, though the manifest was made to fit', programs, async () => {
  for (const { file, change } of edits) {
    await using package_ = await unpacked(await packageOf(createPlatform()));
    const home = join(package_.root, 'custody-1');
    const path = join(home, file === 'trusted_root.json' ? '' : 'deployment-1', file);
    await writeFile(path, change(await readFile(path, 'latin1')), 'latin1');
    await remanifest(home);
    assert.equal((await completed('sh', join(home, 'verify.sh'))).code, 1, `${file}: sh`);
    assert.equal((await completed('python3', join(home, 'verify.py'))).code, 1, `${file}: python3`);
  }
});
