import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { type TarEntry, tar } from '@landfall/kernel/testing/oci-image';
import { errorClassOf } from '../protocol/failure.ts';
import { type Layer, type UnpackLimits, unpack, unpackLimits } from './unpack.ts';

const scratch = async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'landfall-unpack-')));
  const root = join(directory, 'root');
  await mkdir(root);
  let count = 0;
  return {
    directory,
    root,
    async layer(entries: readonly TarEntry[], compression: Layer['compression'] = 'gzip'): Promise<Layer> {
      const archive = tar(entries);
      const file = join(directory, `layer-${count++}`);
      await writeFile(file, { none: archive, gzip: gzipSync(archive), zstd: zstdCompressSync(archive) }[compression]);
      return { file, compression, diffId: sha256(archive) };
    },
    apply: (layers: readonly Layer[], limits: UnpackLimits = unpackLimits) =>
      unpack(root, layers, limits, new AbortController().signal),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
};

const isRefusal = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'DEPLOY_PULL_FAILED' && errorClassOf(error) === 'image-refused';

for (const compression of ['none', 'gzip', 'zstd'] as const) {
  test(`a ${compression} layer unpacks with its files, modes and links`, async () => {
    await using host = await scratch();
    await host.apply([
      await host.layer(
        [
          { path: 'app/' },
          { path: 'app/run.sh', content: 'echo', mode: 0o4755 },
          { path: 'deep/er/file', content: 'x' },
          { path: 'app/again', hardLinkTo: 'app/run.sh' },
          { path: 'app/link', linkTo: 'run.sh' },
          { path: 'bin/absolute', linkTo: '/../../app/run.sh' },
        ],
        compression,
      ),
    ]);
    assert.equal(await readFile(join(host.root, 'app/link'), 'utf8'), 'echo');
    assert.equal((await stat(join(host.root, 'app/run.sh'))).mode & 0o7777, 0o755);
    assert.equal(await readFile(join(host.root, 'app/again'), 'utf8'), 'echo');
    assert.equal(await readlink(join(host.root, 'bin/absolute')), '../app/run.sh');
    assert.equal(await readFile(join(host.root, 'deep/er/file'), 'utf8'), 'x');
  });
}

test('later layers replace files, whiteouts remove lower ones, opaque directories keep only their own', async () => {
  await using host = await scratch();
  await host.apply([
    await host.layer([
      { path: 'a', content: 'old' },
      { path: 'b', content: 'b' },
      { path: 'dir/low', content: 'low' },
      { path: 'dir/sub/low', content: 'low' },
      { path: 'wasdir/x', content: 'x' },
    ]),
    await host.layer([
      { path: 'a', content: 'new' },
      { path: '.wh.b', content: '' },
      { path: 'dir/sub/high', content: 'high' },
      { path: 'dir/high', content: 'high' },
      { path: 'dir/.wh..wh..opq', content: '' },
      { path: 'wasdir', content: 'file' },
    ]),
  ]);
  assert.equal(await readFile(join(host.root, 'a'), 'utf8'), 'new');
  assert.deepEqual((await readdir(host.root)).sort(), ['a', 'dir', 'wasdir']);
  assert.deepEqual((await readdir(join(host.root, 'dir'), { recursive: true })).sort(), ['high', 'sub', 'sub/high']);
  assert.equal(await readFile(join(host.root, 'wasdir'), 'utf8'), 'file');
});

test('a whiteout leaves what the same layer made', async () => {
  await using host = await scratch();
  await host.apply([
    await host.layer([{ path: 'kept', content: 'low' }]),
    await host.layer([
      { path: 'kept', content: 'high' },
      { path: '.wh.kept', content: '' },
    ]),
  ]);
  assert.equal(await readFile(join(host.root, 'kept'), 'utf8'), 'high');
});

const attacks: Readonly<Record<string, readonly (readonly TarEntry[])[]>> = {
  'a path with ..': [[{ path: '../evil', content: 'x' }]],
  'a path with .. inside': [[{ path: 'a/../../evil', content: 'x' }]],
  'an absolute path': [[{ path: '/evil', content: 'x' }]],
  'a symbolic link out': [[{ path: 'out', linkTo: '../..' }]],
  'a link out through another link': [
    [
      { path: 'deep/er/', mode: 0o755 },
      { path: 'deep/up', linkTo: '../x' },
      { path: 'x', linkTo: 'deep' },
      { path: 'deep/p', linkTo: '..' },
      { path: 'deep/out', linkTo: 'p/../layer-0' },
    ],
  ],
  'a hard link out': [[{ path: 'out', hardLinkTo: '../layer-0' }]],
  'a hard link to a symbolic link': [
    [
      { path: 'a', linkTo: 'b' },
      { path: 'c', hardLinkTo: 'a' },
    ],
  ],
  'a character device': [[{ path: 'dev/null', type: '3' }]],
  'a block device': [[{ path: 'dev/sda', type: '4' }]],
  'a FIFO': [[{ path: 'pipe', type: '6' }]],
  'a directory behind a chain of links that leaves the tree only when it is followed': [
    [
      { path: 'a/b/c/' },
      { path: 'a/b/c/up', linkTo: '../../..' },
      { path: 'x', linkTo: 'a/b/c/up/..' },
      { path: 'x/pwn/sub/file', content: 'x' },
    ],
  ],
  'a path behind links that lead in a circle': [
    [
      { path: 'a', linkTo: 'b' },
      { path: 'b', linkTo: 'a' },
      { path: 'a/file', content: 'x' },
    ],
  ],
  'a path behind a file': [
    [
      { path: 'a', content: 'x' },
      { path: 'a/file', content: 'x' },
    ],
  ],
  'a whiteout of its own parent': [[{ path: 'a/.wh...', content: '' }]],
};

for (const [name, layers] of Object.entries(attacks)) {
  test(`${name} is refused and nothing is written outside`, async () => {
    await using host = await scratch();
    const created = await Promise.all(layers.map((entries) => host.layer(entries)));
    const before = await readdir(host.directory);
    await assert.rejects(host.apply(created), isRefusal);
    assert.deepEqual(await readdir(host.directory), before);
  });
}

test('an entry behind a link into the tree goes where the link leads, and what is missing there is made', async () => {
  await using host = await scratch();
  await host.apply([
    await host.layer([
      { path: 'var/run', linkTo: '/run' },
      { path: 'var/run/lock/pid', content: '1' },
      { path: 'usr/lib/' },
      { path: 'lib', linkTo: 'usr/lib' },
    ]),
    await host.layer([{ path: 'lib/new/file', content: 'x' }]),
  ]);
  assert.equal(await readFile(join(host.root, 'run/lock/pid'), 'utf8'), '1');
  assert.equal(await readFile(join(host.root, 'usr/lib/new/file'), 'utf8'), 'x');
  assert.ok((await lstat(join(host.root, 'lib'))).isSymbolicLink());
});

test('a file is never written through a link that a lower layer left', async () => {
  await using host = await scratch();
  await host.apply([
    await host.layer([
      { path: 'target', content: 'original' },
      { path: 'name', linkTo: 'target' },
    ]),
    await host.layer([{ path: 'name', content: 'replaced' }]),
  ]);
  assert.equal(await readFile(join(host.root, 'target'), 'utf8'), 'original');
  assert.ok((await lstat(join(host.root, 'name'))).isFile());
});

test('a layer that unpacks to other bytes than the configuration says is a digest mismatch', async () => {
  await using host = await scratch();
  const layer = await host.layer([{ path: 'a', content: 'a' }]);
  await assert.rejects(
    host.apply([{ ...layer, diffId: sha256('other') }]),
    (error) => error instanceof Fault && error.code === 'DEPLOY_DIGEST_VERIFICATION_FAILED',
  );
});

test('bytes that are no archive, or end early, are refused', async () => {
  await using host = await scratch();
  const junk = join(host.directory, 'junk');
  await writeFile(junk, Buffer.alloc(2000, 7));
  const diffId = sha256(Buffer.alloc(2000, 7));
  await assert.rejects(host.apply([{ file: junk, compression: 'none', diffId }]), isRefusal);
  await assert.rejects(host.apply([{ file: junk, compression: 'gzip', diffId }]), isRefusal);
  await writeFile(junk, tar([{ path: 'a', content: 'b'.repeat(2000) }]).subarray(0, 1500));
  await assert.rejects(host.apply([{ file: junk, compression: 'none', diffId }]), isRefusal);
});

test('trees beyond the limits are refused: file size, unpacked size, number of entries', async () => {
  await using host = await scratch();
  const big = await host.layer([{ path: 'big', content: Buffer.alloc(10_000) }]);
  const many = await host.layer(Array.from({ length: 20 }, (_, n) => ({ path: `f${n}`, content: '' })));
  await assert.rejects(host.apply([big], { ...unpackLimits, maxFileBytes: 9_999 }), isRefusal);
  await assert.rejects(host.apply([big], { ...unpackLimits, maxTreeBytes: 9_999 }), isRefusal);
  await assert.rejects(host.apply([many], { ...unpackLimits, maxFiles: 19 }), isRefusal);
});
