import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Packed, zipOf } from '../testing/zip.ts';
import { findFiles, isRejection, isSkipped } from './files.ts';
import { readFile } from './read-file.ts';
import type { Rejection } from './reader.ts';

const osv = (id: string): string => JSON.stringify({ id, modified: '2026-01-01T00:00:00Z', summary: `About ${id}` });

const folder = async (files: Readonly<Record<string, string | Buffer>>) => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-files-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

/** Document keys and rejections of the files below a path. */
const readAll = async (path: string, name = 'in') => {
  const keys: string[] = [];
  const refusals: Rejection[] = [];
  const remaining: string[] = [];
  for await (const found of findFiles(path, name)) {
    if (isRejection(found)) refusals.push(found);
    else if (isSkipped(found)) remaining.push(`${found.file}: ${found.reason}`);
    else
      for await (const piece of readFile(found))
        if (piece.kind === 'document') keys.push(...piece.chunks.map(({ documentKey }) => documentKey));
        else if (piece.kind === 'refused') refusals.push(piece.refusal);
        else remaining.push(`${piece.file}: ${piece.reason}`);
  }
  return { keys, left: remaining, refusals: refusals.map(({ file, reason }) => `${file}: ${reason}`) };
};

test('a folder is read in one order, deep and through compression; hidden files are passed over, other files and links are left aside', async () => {
  await using home = await folder({
    'b/2.json': osv('B-2'),
    'a/1.json.gz': gzipSync(osv('A-1')),
    'c.zip': zipOf([
      { path: 'x/3.json', content: osv('C-3') },
      { path: 'x/', content: '' },
      { path: 'x/readme.md', content: 'no' },
    ]),
    '.git/4.json': osv('D-4'),
    'README.md': '{}',
    LICENSE: 'Anybody may.',
    'empty.json': '',
  });
  await symlink(home.path, join(home.path, 'a', 'circle'));
  await symlink('/etc/passwd', join(home.path, 'a', 'link.json'));
  assert.deepEqual(await readAll(home.path), {
    keys: ['A-1', 'B-2', 'C-3'],
    refusals: [],
    left: [
      'in/LICENSE: an ending that is not read',
      'in/README.md: no known format',
      'in/a/circle: a link, or no file',
      'in/a/link.json: a link, or no file',
      'in/c.zip!/x/readme.md: no known format',
      'in/empty.json: empty',
    ],
  });
});

test('what is not there, or is a broken archive or compressed file, is told with its reason', async () => {
  const zip = zipOf([{ path: '1.json', content: osv('A-1') }]);
  await using home = await folder({
    'cut.zip': zip.subarray(0, 40),
    'cut.json.gz': gzipSync(osv('A-1')).subarray(0, 30),
    'fine.json': osv('F-1'),
  });
  assert.deepEqual((await readAll(join(home.path, 'none'))).refusals, ['in: it cannot be read (ENOENT)']);
  const { keys, refusals } = await readAll(home.path);
  assert.deepEqual(keys, ['F-1']);
  assert.deepEqual(refusals, [
    'in/cut.json.gz: it cannot be unpacked: it cannot be read (Z_BUF_ERROR)',
    'in/cut.zip: the archive has no table of contents',
  ]);
});

const HOSTILE: readonly (readonly [Packed, RegExp])[] = [
  [{ path: '../../out.json', content: osv('X') }, /leads out of the archive/],
  [{ path: '/etc/out.json', content: osv('X') }, /leads out of the archive/],
  [{ path: 'C:\\out.json', content: osv('X') }, /leads out of the archive/],
  [{ path: 'link.json', content: '/etc/passwd', mode: 0o120777 }, /it is a link/],
  [{ path: 'locked.json', content: osv('X'), flags: 1 }, /it is encrypted/],
  [{ path: 'odd.json', content: osv('X'), method: 12 }, /packed by method 12/],
  [{ path: 'bomb.json', content: Buffer.alloc(3_000_000, 32) }, /it would grow from/],
  [{ path: 'liar.json', content: Buffer.alloc(3_000_000, 32), unpacked: 1_000 }, /cannot be unpacked to the size/],
  [{ path: 'huge.json', content: 'x', unpacked: 4_000_000_000 }, /at most 67108864 are read/],
  [{ path: 'rotten.json', content: osv('X'), crc: 1 }, /checksum does not fit/],
  [{ path: 'lost.json', content: osv('X'), offset: 4_000_000 }, /ends too early/],
];

test('an archive made to harm is refused file by file, and what is sound in it is read', async () => {
  for (const [packed, reason] of HOSTILE) {
    await using home = await folder({ 'x.zip': zipOf([packed, { path: 'sound.json', content: osv('S-1') }]) });
    const { keys, refusals } = await readAll(join(home.path, 'x.zip'));
    assert.deepEqual(keys, ['S-1'], packed.path);
    assert.equal(refusals.length, 1);
    assert.match(refusals[0] ?? '', reason);
  }
});

test('files of an archive that lie over one another are a bomb', async () => {
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, i) => String(i)).join());
  const overlapping = Array.from({ length: 40 }, (_, i) => ({ path: `${i}.json`, content, offset: 0 }));
  const complete = zipOf(overlapping);
  // One copy of the data, and a table of contents with forty entries for it.
  const [first] = [zipOf(overlapping.slice(0, 1))];
  const data = first.subarray(0, first.indexOf(Buffer.from([0x50, 0x4b, 1, 2])));
  const table = complete.subarray(complete.indexOf(Buffer.from([0x50, 0x4b, 1, 2])));
  table.writeUInt32LE(data.length, table.length - 6);
  await using home = await folder({ 'x.zip': Buffer.concat([data, table]) });
  assert.deepEqual((await readAll(join(home.path, 'x.zip'))).refusals, [
    'in: files of the archive lie over one another',
  ]);
});

test('a compressed file that grows as no text does is refused', async () => {
  await using home = await folder({ 'x.json': gzipSync(Buffer.alloc(8_000_000, 32)) });
  assert.match(
    (await readAll(join(home.path, 'x.json'))).refusals[0] ?? '',
    /it grows from \d+ to more than \d+ bytes/,
  );
});

test('whatever an archive is changed to, it is read or refused', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 12 }),
      fc.nat(200),
      async (changes, cut) => {
        const zip = zipOf([
          { path: 'a.json', content: osv('A-1') },
          { path: 'b/c.json', content: osv('B-1') },
        ]);
        for (const [at, byte] of changes) zip[at % zip.length] = byte;
        await using home = await folder({ 'x.zip': zip.subarray(0, zip.length - (cut > 100 ? cut - 100 : 0)) });
        const { keys, refusals } = await readAll(join(home.path, 'x.zip'));
        assert.ok(keys.length + refusals.length <= 4);
      },
    ),
    { numRuns: 150 },
  ));

test('a folder that cannot be read is told by its name, and what comes after it is read', async () => {
  await using home = await folder({ 'a.json': osv('A-1'), 'z.json': osv('Z-1') });
  const long = (letter: string): string => Array.from({ length: 11 }, () => letter.repeat(240)).join('/');
  await mkdir(join(home.path, 'outer', long('x')), { recursive: true });
  await mkdir(join(home.path, 'inner', long('y')), { recursive: true });
  // Together they form a path that is too long for any system call.
  const moved = join(home.path, 'outer', long('x'), 'inner');
  await rename(join(home.path, 'inner'), moved);
  try {
    const { keys, refusals } = await readAll(home.path);
    assert.deepEqual(keys, ['A-1', 'Z-1']);
    assert.equal(refusals.length, 1);
    assert.match(refusals[0] ?? '', /it cannot be read \(ENAMETOOLONG\)$/);
  } finally {
    await rename(moved, join(home.path, 'inner'));
  }
});

test('what is told of a file gives a terminal no orders and is not longer than anybody reads', async () => {
  const orders = '\u001b[2J\u202e';
  await using home = await folder({
    'a.zip': zipOf([{ path: `${orders}.json`, content: '{' }]),
    'k.csv': `cveID\n"${orders}"\n${'x'.repeat(600)}\n"${'y'.repeat(450)}"\n`,
  });
  const { refusals } = await readAll(home.path);
  assert.equal(refusals.length, 4);
  for (const refusalText of refusals) {
    assert.doesNotMatch(refusalText, /[\p{Cc}\p{Cf}]/u);
    assert.ok(refusalText.length < 400);
  }
});

test('a policy is the same document from whichever folder above it, and from an archive of them', async () => {
  const policy = (name: string) => `apiVersion: kyverno.io/v1\nkind: Policy\nmetadata:\n  name: ${name}\n`;
  const files = { 'set/best/latch/latch.yaml': policy('latch'), 'set/other/latch/latch.yaml': policy('latch') };
  await using home = await folder({
    ...files,
    'all.zip': zipOf(Object.entries(files).map(([path, content]) => ({ path: `set-main/${path.slice(4)}`, content }))),
  });
  const expected = ['best/latch/latch.yaml#latch', 'other/latch/latch.yaml#latch'];
  for (const root of ['set', 'set/../set', 'all.zip'])
    assert.deepEqual((await readAll(join(home.path, root))).keys, expected, root);
  for (const root of ['set/best', 'set/best/latch', 'set/best/latch/latch.yaml'])
    assert.deepEqual((await readAll(join(home.path, root))).keys, expected.slice(0, 1), root);
});

test('UTF-16 is read; nothing is passed over without a word: an empty file, an archive within an archive', async () => {
  const broad = Buffer.from(`\ufeff${osv('W-1')}`, 'utf16le');
  await using home = await folder({
    'w.json': broad,
    'v.json': Buffer.from(broad).swap16(),
    'empty.json': '',
    'z.zip': zipOf([
      { path: 'in.zip', content: 'x' },
      { path: 'in.json.gz', content: 'x' },
    ]),
  });
  const { keys, refusals } = await readAll(home.path);
  assert.deepEqual(keys, ['W-1', 'W-1']);
  assert.equal(refusals.filter((refusalText) => refusalText.includes('an archive within an archive')).length, 2);
  assert.deepEqual((await readAll(join(home.path, 'empty.json'))).refusals, ['in: it is empty']);
});
