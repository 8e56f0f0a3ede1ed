import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { randomIds } from '@landfall/kernel/core/ids';
import { parseDigest, sha256, sha256Hex } from '@landfall/kernel/crypto/digest';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { loadSettings } from '@landfall/kernel/system/settings';
import { artifactChecks } from '../operator/checks.ts';
import { artifactSettings, type BucketSettings, bucketOf } from '../shared/settings.ts';
import { artifactApp, billOf, operator, STORAGES } from '../testing/artifact-app.ts';
import { bucketUrl, createS3Client, signed } from './s3-client.ts';
import { createS3Objects } from './s3-objects.ts';

const http = createHttpClient({ egress: openEgress });
after(() => http.close());

const BUCKET: BucketSettings = {
  endpoint: 'https://s3.amazonaws.com',
  bucket: 'examplebucket',
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  isPathStyle: false,
};

test('requests are signed as in the examples of the documentation of S3', async () => {
  const at = new Date('2013-05-24T00:00:00Z');
  const signatureOf = async (query: string) => {
    const url = `${bucketUrl(BUCKET).href}?${query}`;
    const { authorization = '' } = await signed({ url, sha256: sha256Hex('') }, BUCKET, at);
    return authorization.split('Signature=')[1];
  };
  assert.equal(await signatureOf('lifecycle'), 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543');
  assert.equal(
    await signatureOf('max-keys=2&prefix=J'),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

test('a bucket is in the path of an address, or the first part of its host', () => {
  assert.equal(bucketUrl(BUCKET).href, 'https://examplebucket.s3.amazonaws.com/');
  const inPath = { ...BUCKET, endpoint: 'https://s3.example/base', isPathStyle: true };
  assert.equal(bucketUrl(inPath).href, 'https://s3.example/base/examplebucket/');
});

/** Server that records requests and answers by its own rule. */
const recordingServer = async (answer: (request: string) => { status: number; body?: string }) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const line = `${request.method} ${request.url} ${body}`.trim();
      requests.push(line);
      const { status, body: answered = '' } = answer(line);
      response.writeHead(status).end(answered);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const bucket = { ...BUCKET, endpoint: `http://127.0.0.1:${address.port}`, isPathStyle: true };
  const client = createS3Client({ http, ids: randomIds, bucket, now: () => new Date() });
  return {
    requests,
    objects: createS3Objects(client, 'compliance'),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
};

test('a bucket with Object Lock is told of the retention and the hold, and of the retention only while it lasts', async () => {
  await using server = await recordingServer(() => ({ status: 200 }));
  const until = new Date('2036-01-01T00:00:00Z');
  await server.objects.protect?.('a/b.json', { retainUntil: until, isHeld: true });
  await server.objects.protect?.('a/b.json', { retainUntil: null, isHeld: false });
  assert.deepEqual(server.requests, [
    'PUT /examplebucket/a/b.json?retention= <Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2036-01-01T00:00:00.000Z</RetainUntilDate></Retention>',
    'PUT /examplebucket/a/b.json?legal-hold= <LegalHold><Status>ON</Status></LegalHold>',
    'PUT /examplebucket/a/b.json?legal-hold= <LegalHold><Status>OFF</Status></LegalHold>',
  ]);
});

test('an object that is there is not written again, but for one with other bytes', async () => {
  let stored = 'whole';
  await using server = await recordingServer((line) => {
    if (!line.startsWith('PUT')) return { status: 206, body: stored };
    return { status: server.requests.filter((each) => each.startsWith('PUT')).length === 1 ? 412 : 200 };
  });
  await using app = await artifactApp();
  const put = async () => {
    const path = join(app.dataDir, 'staged');
    await writeFile(path, 'whole');
    server.requests.length = 0;
    await server.objects.put('k', { path, sha256: sha256('whole'), sizeBytes: 5 });
    return server.requests.map((line) => line.split(' ')[0]);
  };
  assert.deepEqual(await put(), ['PUT', 'GET']);
  stored = 'other';
  assert.deepEqual(await put(), ['PUT', 'GET', 'PUT']);
});

test('a passing failure is repeated twice, a lasting one is named, and a refusal is not repeated', async () => {
  const statuses = [503, 503, 200];
  await using server = await recordingServer(() => ({
    status: statuses.shift() ?? 403,
    body: '<Code>AccessDenied</Code>',
  }));
  assert.ok(await server.objects.open('k', 1));
  assert.equal(server.requests.length, 3);
  const refused = { code: 'SYS_STORAGE_ERROR', message: /refuses the credentials \(403 AccessDenied\)/ };
  await assert.rejects(server.objects.open('k', 1), refused);
  assert.equal(server.requests.length, 4);
});

for (const storage of STORAGES)
  test(`objects of every size and key are put whole, listed, moved away and emptied (${storage})`, async () => {
    await using app = await artifactApp({ storage });
    const { objects } = app.module;
    const contents = new Map([
      ['a/empty', Buffer.alloc(0)],
      ['a/"quote" & + <ü>~!', Buffer.from('small')],
      ['a/large', Buffer.alloc(600_000, 'x')],
    ]);
    for (const [key, bytes] of contents) {
      const path = join(app.dataDir, 'staged');
      await writeFile(path, bytes);
      await objects.put(key, { path, sha256: sha256(bytes), sizeBytes: bytes.length });
      for (const expected of [bytes.length, undefined]) {
        const object = await objects.open(key, expected);
        assert.ok(object);
        assert.deepEqual([object.sizeBytes, await buffer(object.bytes)], [bytes.length, bytes]);
      }
      assert.equal((await objects.stat(key))?.sizeBytes, bytes.length);
    }
    const listed: string[] = [];
    for await (const { key, sizeBytes } of objects.list('a')) {
      assert.equal(sizeBytes, contents.get(key)?.length);
      listed.push(key);
    }
    assert.deepEqual(listed.sort(), [...contents.keys()].sort());
    const day = new Date('2026-01-02T03:04:05Z');
    await objects.discard('a/large', day);
    await objects.quarantine('a/empty');
    assert.deepEqual([await objects.stat('a/large'), await objects.open('a/large', 1)], [undefined, undefined]);
    await objects.discard('a/large', day);
    assert.deepEqual([(await app.files('trash')).length, (await app.files('quarantine')).length], [1, 1]);
    await objects.emptyTrash(day);
    assert.equal((await app.files('trash')).length, 1);
    await objects.emptyTrash(new Date('2026-01-03T00:00:00Z'));
    assert.deepEqual([(await app.files('trash')).length, (await app.files('objects')).length], [0, 1]);
    assert.deepEqual([await objects.bind('one'), await objects.bind('two')], ['one', 'one']);
  });

test('evidence in a bucket is read whole or not at all', async () => {
  await using app = await artifactApp({ storage: 's3' });
  const { artifact } = await app.put(billOf());
  const read = async () => buffer((await app.module.readArtifact(operator.tenant, artifact.artifactId)).stream);
  assert.equal(sha256(await read()), parseDigest(artifact.sha256));
  const path = app.fileOf(artifact.storageKey);
  await writeFile(path, (await readFile(path, 'utf8')).toUpperCase());
  await assert.rejects(read(), { code: 'SYS_STORAGE_ERROR' });
});

test('no put leaves a row or staged bytes where the bucket, its server or the credentials are wrong', async () => {
  for (const [env, message] of [
    [{ ARTIFACTS__S3__BUCKET: 'other' }, /has no such bucket/],
    [{ ARTIFACTS__S3__ACCESSKEYID: 'wrong' }, /refuses the credentials \(403 InvalidAccessKeyId\)/],
    [{ ARTIFACTS__S3__ENDPOINT: 'http://127.0.0.1:9' }, /does not answer/],
  ] as const) {
    await using app = await artifactApp({ storage: 's3', env });
    await assert.rejects(app.put(billOf()), { code: 'SYS_STORAGE_ERROR', message });
    assert.deepEqual((await app.module.artifacts.search(operator, {})).items, []);
    assert.deepEqual([await app.files('incoming'), await app.files('objects')], [[], []]);
  }
});

test('a bucket that goes away makes evidence unreadable, not corrupt', async () => {
  await using app = await artifactApp({ storage: 's3', env: { ARTIFACTS__SCRUBDAYS: '1' } });
  const { artifact } = await app.put(billOf());
  await rm(app.objectsDirectory, { recursive: true });
  await app.clock.advance(2 * 86_400_000);
  assert.equal(await app.module.scrub.scrub(), 1);
  assert.equal((await app.module.artifacts.get(operator, { id: artifact.artifactId })).corruptAt, null);
});

test('a hold that the bucket is told of ends with it, and a bucket without Object Lock is tried again later', async () => {
  await using app = await artifactApp({ storage: 's3', env: { ARTIFACTS__S3__OBJECTLOCK: 'governance' } });
  await app.put(billOf());
  assert.equal(await app.module.protectDue(), 1);
  assert.equal(await app.module.protectDue(), 0);
  await app.clock.advance(2 * 3_600_000);
  assert.equal(await app.module.protectDue(), 1, 'the server of this test has no Object Lock');
});

test('the doctor names what the server of a bucket ignores, and leaves nothing in it', async () => {
  await using app = await artifactApp({ storage: 's3' });
  const [check] = artifactChecks;
  const find = (env: Record<string, string>) =>
    check?.inspect({
      settings: loadSettings(artifactSettings, { env }),
      now: () => new Date(),
      database: () => assert.fail(),
      migrations: () => assert.fail(),
    });
  assert.equal((await find({}))?.status, 'pass');
  assert.deepEqual(await find(app.storageEnv), {
    status: 'warn',
    says: 'the server of the bucket evidence ignores conditional writes (If-None-Match), checksums (x-amz-checksum-sha256)',
  });
  const locked = await find({ ...app.storageEnv, ARTIFACTS__S3__OBJECTLOCK: 'governance' });
  assert.match(`${locked?.status} ${locked?.says}`, /^fail .* Object Lock$/);
  const wrong = await find({
    ...app.storageEnv,
    ARTIFACTS__S3__SECRETACCESSKEY: 'hidden',
    ARTIFACTS__S3__BUCKET: 'none',
  });
  assert.match(`${wrong?.status} ${wrong?.says}`, /^fail .*has no such bucket/);
  assert.deepEqual(await readdir(app.objectsDirectory), []);
});

test('settings of a bucket that cannot work are named', () => {
  const whole = {
    ARTIFACTS__S3__ENDPOINT: 'https://s3.example',
    ARTIFACTS__S3__BUCKET: 'evidence',
    ARTIFACTS__S3__ACCESSKEYID: 'id',
    ARTIFACTS__S3__SECRETACCESSKEY: 'secret',
  };
  const of = (env: Record<string, string>) => bucketOf(loadSettings(artifactSettings, { env: { ...whole, ...env } }));
  assert.equal(of({})?.endpoint, 'https://s3.example');
  assert.equal(of({ ARTIFACTS__S3__ENDPOINT: '' }), undefined);
  assert.throws(() => of({ ARTIFACTS__S3__ENDPOINT: 'http://s3.example' }), /S3:Endpoint must be https/);
  assert.throws(() => of({ ARTIFACTS__S3__BUCKET: 'A' }), /S3:Bucket/);
  assert.throws(() => of({ ARTIFACTS__S3__SECRETACCESSKEY: '' }), /SecretAccessKey are both needed/);
});
