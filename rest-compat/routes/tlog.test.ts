import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { leafHash, rootOf, verifyInclusion } from '@landfall/kernel/crypto/merkle';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { testApp } from '@landfall/kernel/testing/app';
import { createOrchestrator } from '@landfall/orchestrator';
import { tlogRoutes } from './tlog.ts';

const BASE = '/tlog/api/v2';
const ORIGIN = 'landfall.example';

const logApp = () =>
  testApp({
    createModule: (deps) =>
      createOrchestrator(deps, {
        platformDomain: 'landfall.example',
        agentUrl: 'https://127.0.0.1:4002',
        deploymentLogDays: 30,
        signingKeys: createSigningKeys(deps),
      }),
    routes: tlogRoutes,
  });

type App = Awaited<ReturnType<typeof logApp>>;

const appendMany = ({ module }: App, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => module.transparencyLog.append(Buffer.from(`entry ${index}`))),
  );

/** Without any credentials. */
const get = async ({ origin }: App, path: string) => {
  const response = await fetch(`${origin}${BASE}/${path}`);
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
};

const hashesIn = (tile: Buffer): Buffer[] =>
  Array.from({ length: tile.length / 32 }, (_, index) => tile.subarray(index * 32, (index + 1) * 32));

const entriesIn = (bundle: Buffer): Buffer[] => {
  const entries = [];
  for (let index = 0; index < bundle.length; ) {
    const end = index + 2 + bundle.readUInt16BE(index);
    entries.push(bundle.subarray(index + 2, end));
    index = end;
  }
  return entries;
};

test('a monitor without credentials rebuilds the signed tree from entries and from tiles', async () => {
  await using app = await logApp();
  assert.equal((await get(app, 'checkpoint')).status, 404);
  await appendMany(app, 300);
  const note = await get(app, 'checkpoint');
  assert.equal(note.headers.get('content-type'), 'text/plain; charset=utf-8');
  const [origin, size, root = ''] = note.body.toString().split('\n');
  assert.deepEqual([origin, size], [ORIGIN, '300']);
  const bundles = [await get(app, 'tile/entries/000'), await get(app, 'tile/entries/001.p/44')];
  const leaves = bundles.flatMap(({ body }) => entriesIn(body)).map(leafHash);
  assert.equal(rootOf(leaves).toString('base64'), root);
  const tiles = [await get(app, 'tile/0/000'), await get(app, 'tile/0/001.p/44')];
  assert.deepEqual(
    tiles.flatMap(({ body }) => hashesIn(body)),
    leaves,
  );
  const upper = await get(app, 'tile/1/000.p/1');
  assert.deepEqual(hashesIn(upper.body), [rootOf(leaves.slice(0, 256))]);
  for (const { headers } of [...bundles, ...tiles, upper]) {
    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  }
});

test('a partial tile stays what it was when the tree has grown, and none is there before its time', async () => {
  await using app = await logApp();
  await appendMany(app, 5);
  const before = await get(app, 'tile/0/000.p/5');
  for (const path of [
    'tile/0/000',
    'tile/0/000.p/6',
    'tile/entries/000.p/6',
    'tile/1/000.p/1',
    'tile/63/000',
    'tile/64/000',
    'tile/00/000',
    'tile/0/0',
    'tile/x/000',
  ])
    assert.equal((await get(app, path)).status, 404, path);
  await appendMany(app, 9);
  assert.deepEqual((await get(app, 'tile/0/000.p/5')).body, before.body);
  assert.equal((await get(app, 'tile/0/000.p/9')).body.length, 9 * 32);
});

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const submission = (message: string, signed = message) => ({
  hashedRekordRequestV002: {
    digest: createHash('sha256').update(message).digest('base64'),
    signature: {
      content: sign('sha256', Buffer.from(signed), privateKey).toString('base64'),
      verifier: {
        publicKey: { rawBytes: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') },
        keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      },
    },
  },
});

test('a client of Rekor v2 logs a signature and is answered its entry, the same one when it asks again', async () => {
  await using app = await logApp();
  const body = submission('landed');
  const first = await app.rest('POST', `${BASE}/log/entries`, { body });
  assert.equal(first.status, 201);
  const { logIndex, inclusionProof: proof, canonicalizedBody, kindVersion, logId } = first.body;
  assert.deepEqual([logIndex, kindVersion], ['0', { kind: 'hashedrekord', version: '0.0.2' }]);
  assert.equal(Buffer.from(logId.keyId, 'base64').length, 32);
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  const isIn = verifyInclusion({
    index: Number(proof.logIndex),
    size: Number(proof.treeSize),
    leafHash: leafHash(bytes(canonicalizedBody)),
    path: proof.hashes.map(bytes),
    root: bytes(proof.rootHash),
  });
  assert.ok(isIn);
  assert.equal((await app.rest('POST', `${BASE}/log/entries`, { body })).body.logIndex, '0');
  assert.deepEqual(app.bugs, []);
});

test('what is no signature over its digest is not logged, nor anything without the scope', async () => {
  await using app = await logApp();
  const bad = await app.rest('POST', `${BASE}/log/entries`, { body: submission('landed', 'another message') });
  assert.deepEqual([bad.status, bad.body.error.code], [400, 'VAL_INVALID_VALUE']);
  const viewer = await app.rest('POST', `${BASE}/log/entries`, { body: submission('landed'), as: 'viewer' });
  assert.equal(viewer.body.error.code, 'PERM_SCOPE_DENIED');
  assert.equal(await app.module.transparencyLog.newest(), undefined);
});

test('the graph tells how far the log has come', async () => {
  await using app = await logApp();
  const query =
    '{ transparencyLog { origin treeSize rootHash signedAt checkpoint witnesses trustPath seal { sequence } } }';
  const before = await app.graph(query);
  assert.deepEqual(JSON.parse(JSON.stringify(before.data?.transparencyLog)), {
    origin: ORIGIN,
    treeSize: '0',
    rootHash: null,
    signedAt: null,
    checkpoint: null,
    witnesses: [],
    trustPath: '/tlog/trust.json',
    seal: null,
  });
  await appendMany(app, 3);
  const { data } = await app.graph(query);
  const newest = await app.module.transparencyLog.newest();
  const logged = data?.transparencyLog;
  assert.ok(logged !== null && typeof logged === 'object' && 'checkpoint' in logged && 'treeSize' in logged);
  assert.deepEqual([logged.treeSize, logged.checkpoint], ['3', newest?.note]);
});
