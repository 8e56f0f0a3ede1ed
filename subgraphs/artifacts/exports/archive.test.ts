import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { extract } from 'tar-stream';
import { directoryOf, type ExportArchive, exportTar, gzipOf } from './archive.ts';
import { ArtifactChanged, type ArtifactReader } from './evidence-artifact.ts';
import { createArtifacts, EXPORT, sealed, tarBytes } from './export.fixture.ts';
import { LEADING_FILES } from './sealed-export.ts';

const headersOf = async (tar: Buffer) => {
  const headers = [];
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    headers.push(entry.header);
    entry.resume();
  }
  return headers;
};

test('the manifest and its signature come first, then every entry in the order of its path', async () => {
  const { artifacts, reader } = createArtifacts(3);
  const archive = await sealed({ artifacts });
  const headers = await headersOf(await tarBytes(archive, reader));
  const paths = archive.entries.map(({ path }) => path);
  assert.deepEqual(
    paths,
    paths.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  );
  assert.deepEqual(
    headers.map(({ name }) => name),
    [...LEADING_FILES, ...paths].map((path) => `${directoryOf(EXPORT)}/${path}`),
  );
});

test('headers have no time, owner or name of an owner, and only the programs can be run', async () => {
  const { artifacts, reader } = createArtifacts(1);
  for (const header of await headersOf(await tarBytes(await sealed({ artifacts }), reader))) {
    const { mtime, uid, gid, uname, gname, type } = header;
    assert.deepEqual(
      { mtime: mtime?.getTime(), uid, gid, uname, gname, type },
      { mtime: 0, uid: 0, gid: 0, uname: '', gname: '', type: 'file' },
    );
    assert.equal(header.mode, /verify/.test(header.name) ? 0o755 : 0o644);
  }
});

const GOLDEN = 'sha256:315cc1ba4a82793c9ec3f7c5be644bd623eddbd786d8284c78cd9ed9faec36e3';

test('the bytes of the tar file are those of the golden one, whatever the chunks of an artifact', async () => {
  const { artifacts, contents } = createArtifacts(2);
  const archive: ExportArchive = {
    exportId: EXPORT,
    entries: artifacts.map(({ mediaType, path, sha256: hash, size }) => ({ mediaType, path, sha256: hash, size })),
    files: new Map(LEADING_FILES.map((path) => [path, { size: path.length + 1, bytes: Buffer.from(`${path}\n`) }])),
    artifacts,
  };
  for (const length of [1, 7, 512, 100_000]) {
    const reader: ArtifactReader = {
      open: async (id) =>
        (async function* () {
          const content = contents.get(id) ?? Buffer.of();
          for (let at = 0; at < content.length; at += length) yield content.subarray(at, at + length);
        })(),
    };
    assert.equal(sha256(await tarBytes(archive, reader)), GOLDEN);
  }
});

const changes: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  'another byte': (content) => Buffer.from(content.toString().replace('1', '2')),
  'a byte more': (content) => Buffer.concat([content, Buffer.of(0)]),
  'a byte less': (content) => content.subarray(1),
  'no byte': () => Buffer.of(),
};

for (const [name, change] of Object.entries(changes))
  test(`an artifact with ${name} breaks the stream, and gzip finds the archive cut off`, async () => {
    const { artifacts, contents, reader } = createArtifacts(3);
    const archive = await sealed({ artifacts });
    const [first] = artifacts;
    assert.ok(first);
    contents.set(first.artifactId, change(contents.get(first.artifactId) ?? Buffer.of()));
    const chunks: Uint8Array[] = [];
    const reading = async () => {
      for await (const chunk of gzipOf(exportTar(archive, reader))) chunks.push(chunk);
    };
    await assert.rejects(reading, ArtifactChanged);
    assert.throws(() => gunzipSync(Buffer.concat(chunks)), /unexpected end of file/);
  });

test('an artifact that changed far behind a slow reader breaks the stream, and nothing else', async () => {
  const { artifacts, contents, reader } = createArtifacts(3_000);
  const archive = await sealed({ artifacts });
  contents.set(artifacts[2_000]?.artifactId ?? '', Buffer.of());
  const reading = async () => {
    for await (const _chunk of exportTar(archive, reader)) await setImmediate();
  };
  await assert.rejects(reading, ArtifactChanged);
});

test('an artifact that is disposed of meanwhile breaks the stream', async () => {
  const { artifacts, contents, reader } = createArtifacts(2);
  const archive = await sealed({ artifacts });
  contents.clear();
  await assert.rejects(buffer(gzipOf(exportTar(archive, reader))), ArtifactChanged);
});

test('a reader that goes away ends the reading of artifacts', async () => {
  const { artifacts, reader } = createArtifacts(200);
  const archive = await sealed({ artifacts });
  let opened = 0;
  const counting: ArtifactReader = {
    open: (id, size) => {
      opened += 1;
      return reader.open(id, size);
    },
  };
  for await (const _chunk of exportTar(archive, counting)) break;
  assert.ok(opened < 100, `${opened} artifacts were opened`);
});
