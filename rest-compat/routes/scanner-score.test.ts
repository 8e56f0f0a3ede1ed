import assert from 'node:assert/strict';
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { sql } from '@landfall/kernel/db/sql';
import { arm } from '@landfall/kernel/system/failpoint';
import { people } from '@landfall/kernel/testing/callers';
import { changeEntry } from '@landfall/scanner/testing/bundles';
import { scannerApp } from '@landfall/scanner/testing/scanner-app';
import { scannerScoreRoutes } from './scanner-score.ts';

const as = 'scan-operator';
const NO_SCAN = '01900000-0000-7000-8000-000000000000';

type Change = readonly [name: Parameters<typeof changeEntry>[1], from: RegExp, to: string];

const scoreApp = (env: Readonly<Record<string, string>> = {}) => scannerApp({ routes: scannerScoreRoutes, env });

// spec: 2.4/replay-response, 2.4/replay-factors, 2.4/replay-score-range, 4.3/replay, 4.3/alias
test('a replay answers the fields of the specification, in both forms of its path', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  const first = await app.rest('POST', `/api/v1/scans/${scanId}/score/replay`, { as });
  assert.equal(first.status, 200);
  assert.deepEqual(Object.keys(first.body), [
    'score',
    'rootHash',
    'bundleUri',
    'manifestHash',
    'manifestDigest',
    'canonicalInputHash',
    'canonicalInputPayload',
    'seedHex',
    'factors',
    'verificationStatus',
    'replayedAt',
    'deterministic',
  ]);
  assert.equal(first.body.verificationStatus, 'verified');
  const sum = first.body.factors.reduce((total: number, { weighted }: { weighted: number }) => total + weighted, 0);
  assert.ok(Math.abs(sum - first.body.score) < 1e-9);
  const alias = await app.rest('POST', `/api/v1/score/${scanId}/replay`, { as, body: {} });
  assert.deepEqual(alias.body, first.body);
});

// spec: 2.4/replay-deterministic
test('a replay repeats the flag of the stored manifest', async () => {
  await using app = await scoreApp();
  for (const deterministic of [true, false]) {
    const scanId = await app.frozenScan({ image: `image ${deterministic}`, deterministic });
    const { body } = await app.rest('POST', `/api/v1/scans/${scanId}/score/replay`, { as });
    assert.equal(body.deterministic, deterministic);
  }
});

// spec: 2.4/zip-name, 2.4/replay-bundle-uri, 2.4/zip-storage
test('two processes give the same root, canonical input and ZIP bytes', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  const operator = people[as];
  const first = await app.module.replays.replay(operator, { scanId });
  const bytes = await readFile(first.bundlePath);
  const elsewhere = join(app.proofsDirectory, 'elsewhere');
  const second = await app.another({ SCOREREPLAY__PROOFSPATH: elsewhere }).replays.replay(operator, { scanId });
  assert.deepEqual(await readFile(second.bundlePath), bytes);
  const { bundlePath: _, ...same } = first;
  const { bundlePath, ...again } = second;
  assert.deepEqual(again, same);
  assert.equal(basename(bundlePath), `${scanId}_${first.rootHash.slice(7, 23)}.zip`);
});

// spec: 2.4/freeze-default
test('a later time has staler evidence and a root of its own', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  const path = `/api/v1/scans/${scanId}/score/replay`;
  const now = (await app.rest('POST', path, { as })).body;
  const later = (await app.rest('POST', path, { as, body: { freezeTimestamp: '2027-01-15T10:00:00+01:00' } })).body;
  assert.ok(later.score > now.score);
  assert.notEqual(later.rootHash, now.rootHash);
  assert.equal(later.manifestHash, now.manifestHash);
  assert.equal(JSON.parse(later.canonicalInputPayload).freezeTimestamp, '2027-01-15T09:00:00Z');
});

// spec: 2.4/replay-request, rulings/14
test('a replay request is refused by field, and one for an unknown manifest is not found', async () => {
  await using app = await scoreApp();
  const path = `/api/v1/scans/${await app.frozenScan()}/score/replay`;
  const code = async (body: unknown) => {
    const { status, headers, body: answer } = await app.rest('POST', path, { as, body });
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
    return [status, answer.code, answer.errors?.[0]?.field];
  };
  assert.deepEqual(await code({ seed: 1 }), [400, 'VAL_SCHEMA_MISMATCH', 'seed']);
  assert.deepEqual(await code({ manifesthash: null }), [400, 'VAL_SCHEMA_MISMATCH', 'manifesthash']);
  assert.deepEqual(await code({ scanId: NO_SCAN }), [400, 'VAL_SCHEMA_MISMATCH', 'scanId']);
  assert.deepEqual(await code([]), [400, 'VAL_SCHEMA_MISMATCH', '']);
  assert.deepEqual(await code({ freezeTimestamp: 'yesterday' }), [400, 'VAL_INVALID_FORMAT', 'freezeTimestamp']);
  assert.deepEqual(await code({ freezeTimestamp: '2020-01-01T00:00:00Z' }), [
    400,
    'VAL_INVALID_VALUE',
    'freezeTimestamp',
  ]);
  assert.deepEqual(await code({ freezeTimestamp: '9999-12-31T23:59:59-01:00' }), [
    400,
    'VAL_INVALID_VALUE',
    'freezeTimestamp',
  ]);
  assert.deepEqual(await code({ manifestHash: `sha256:${'0'.repeat(64)}` }), [404, 'RES_NOT_FOUND', undefined]);
});

test('a replay accepts the manifest that the scan has', async () => {
  await using app = await scoreApp();
  const path = `/api/v1/scans/${await app.frozenScan()}/score/replay`;
  const { manifestHash } = (await app.rest('POST', path, { as })).body;
  assert.equal((await app.rest('POST', path, { as, body: { manifestHash } })).status, 200);
});

test('reads need ScansRead, replay and verify ScansWrite, and another tenant finds nothing', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  for (const base of [`/api/v1/scans/${scanId}/score`, `/api/v1/score/${scanId}`]) {
    const body = { expectedRootHash: 'x' };
    assert.equal((await app.rest('POST', `${base}/replay`, { as: 'scan-reader' })).status, 403);
    assert.equal((await app.rest('POST', `${base}/verify`, { as: 'scan-reader', body })).status, 403);
    assert.equal((await app.rest('GET', `${base}/history`, { as: 'scan-reader' })).status, 200);
    assert.equal((await app.rest('GET', `${base}/history`, { as: 'operator' })).status, 403);
    const other = { as: 'other-scan-operator' } as const;
    assert.equal((await app.rest('POST', `${base}/replay`, other)).status, 404);
    assert.equal((await app.rest('POST', `${base}/verify`, { ...other, body })).status, 404);
    assert.equal((await app.rest('GET', `${base}/bundle`, other)).status, 404);
    assert.equal((await app.rest('GET', `${base}/history`, other)).status, 404);
  }
});

// spec: 7.3/replay-disabled, rulings/7
test('without the setting there are no score routes', async () => {
  await using app = await scoreApp({ SCOREREPLAY__ENABLED: 'false' });
  const scanId = await app.frozenScan();
  for (const base of [`/api/v1/scans/${scanId}/score`, `/api/v1/score/${scanId}`]) {
    assert.equal((await app.rest('POST', `${base}/replay`, { as })).status, 404);
    assert.equal((await app.rest('POST', `${base}/verify`, { as, body: {} })).status, 404);
    assert.equal((await app.rest('GET', `${base}/bundle`, { as })).status, 404);
    assert.equal((await app.rest('GET', `${base}/history`, { as })).status, 404);
  }
});

// spec: 2.4/history-item, 2.4/history-in-memory, 4.3/history, rulings/8
test('the history is of this process, or of all by the setting, the newest first', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  const operator = people[as];
  await app.module.replays.replay(operator, { scanId });
  await app.clock.advance(60_000);
  await app.module.replays.replay(operator, { scanId, freezeTimestamp: '2027-01-01T00:00:00Z' });
  const { body } = await app.rest('GET', `/api/v1/scans/${scanId}/score/history`, { as });
  assert.deepEqual(Object.keys(body[0]), [
    'rootHash',
    'replayedAt',
    'score',
    'canonicalInputHash',
    'manifestDigest',
    'factors',
  ]);
  assert.ok(body[0].replayedAt > body[1].replayedAt);
  assert.deepEqual(await app.another().replays.history(operator, { scanId }), []);
  const durable = await app.another({ SCOREREPLAY__HISTORY: 'postgres' }).replays.history(operator, { scanId });
  assert.deepEqual(durable, await app.module.replays.history(operator, { scanId }));
});

// spec: rulings/68
test('a scan in which nothing was evaluated has no score', async () => {
  await using app = await scoreApp();
  const coverage = { components: 2, evaluated: 0, noPurl: 2, unknownEcosystem: 0, badVersion: 0 };
  const scanId = await app.frozenScan({ findings: [], coverage });
  const { status, body } = await app.rest('POST', `/api/v1/scans/${scanId}/score/replay`, { as });
  assert.equal(status, 200);
  assert.deepEqual([body.score, body.factors, body.verificationStatus], [null, [], 'not_evaluated']);
  const [past] = (await app.rest('GET', `/api/v1/scans/${scanId}/score/history`, { as })).body;
  assert.equal(past.score, null);
});

// spec: 2.4/bundle-response, 4.3/bundle
test('a bundle is found by its root, and without one the newest', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  const path = `/api/v1/scans/${scanId}/score/bundle`;
  assert.equal((await app.rest('GET', path, { as })).status, 404);
  const first = await app.module.replays.replay(people[as], { scanId });
  await app.clock.advance(60_000);
  const second = await app.module.replays.replay(people[as], { scanId, freezeTimestamp: '2027-01-01T00:00:00Z' });
  const { body } = await app.rest('GET', path, { as });
  assert.deepEqual(body, {
    scanId,
    rootHash: second.rootHash,
    bundleUri: second.bundlePath,
    manifestDsseValid: true,
    createdAt: second.replayedAt.toISOString(),
  });
  assert.equal((await app.rest('GET', `${path}?rootHash=${first.rootHash}`, { as })).body.rootHash, first.rootHash);
  assert.equal((await app.rest('GET', `${path}?rootHash=sha256:${'0'.repeat(64)}`, { as })).status, 404);
  assert.equal((await app.rest('GET', `${path}?rootHash=x`, { as })).status, 400);
});

test('without content addressing a later bundle replaces the file and the metadata of the earlier one', async () => {
  await using app = await scoreApp({ SCOREREPLAY__CONTENTADDRESSEDBUNDLES: 'false' });
  const scanId = await app.frozenScan();
  await app.module.replays.replay(people[as], { scanId });
  const second = await app.module.replays.replay(people[as], { scanId, freezeTimestamp: '2027-01-01T00:00:00Z' });
  assert.equal(basename(second.bundlePath), `${scanId}.zip`);
  const items = await app.module.proofs.list(people[as], { scanId });
  assert.deepEqual(
    items.map(({ rootHash }) => rootHash),
    [second.rootHash],
  );
});

test('a bundle that was changed on disk is not overwritten', async () => {
  await using app = await scoreApp();
  const scanId = await app.frozenScan();
  const { bundlePath } = await app.module.replays.replay(people[as], { scanId });
  await cp(import.meta.filename, bundlePath);
  const { status, body } = await app.rest('POST', `/api/v1/scans/${scanId}/score/replay`, { as });
  assert.deepEqual([status, body.code], [409, 'RES_CONFLICT']);
});

// spec: rulings/40
test('the status of a replay comes from verifying the file that it wrote', async () => {
  await using app = await scoreApp();
  const statusAfter = async (image: string, ...change: Change) => {
    const scanId = await app.frozenScan({ image });
    using _written = arm('scanner.replay.written', async () => {
      const [name = ''] = (await readdir(app.proofsDirectory)).filter((each) => each.startsWith(scanId));
      await changeEntry(join(app.proofsDirectory, name), ...change);
    });
    const { status, body } = await app.rest('POST', `/api/v1/scans/${scanId}/score/replay`, { as });
    assert.equal(status, 200);
    return body.verificationStatus;
  };
  assert.equal(await statusAfter('same', 'meta.json', /^/, ''), 'verified');
  const signature = `"sig":"${Buffer.alloc(64).toString('base64')}"`;
  assert.equal(await statusAfter('signed', 'manifest.dsse.json', /"sig":"[^"]+"/, signature), 'unverified');
  assert.equal(await statusAfter('scored', 'score_proof.json', /"raw":1000000/, '"raw":999999'), 'failed');
});

// spec: 4.3/score-explain, rulings/45
test('the score of an image is explained from its newest scan', async () => {
  await using app = await scoreApp();
  await app.frozenScan({ image: 'shop', findings: [] });
  const scanId = await app.frozenScan({ image: 'shop' });
  const replayed = await app.module.replays.replay(people[as], { scanId });
  const { imageDigest } = await app.module.scans.get(people[as], { id: scanId });
  const { status, body } = await app.rest('GET', `/api/v1/score/explain/${imageDigest}`, { as: 'scan-reader' });
  assert.equal(status, 200);
  const { scorePpm, rootHash, canonicalInputHash, manifestDigest } = replayed;
  const { factors, explainedAt, ...rest } = body;
  const score = (scorePpm ?? 0) / 1_000_000;
  assert.deepEqual(rest, { digest: imageDigest, scanId, score, rootHash, canonicalInputHash, manifestDigest });
  assert.equal(factors.length, replayed.factors.length);
  assert.equal((await app.rest('GET', `/api/v1/score/explain/sha256:${'0'.repeat(64)}`, { as })).status, 404);
  assert.equal((await app.rest('GET', '/api/v1/score/explain/shop', { as })).status, 400);
});

test('the newest scan of an image is the one that was completed last', async () => {
  await using app = await scoreApp();
  const first = await app.frozenScan({ image: 'shop' });
  await app.frozenScan({ image: 'shop' });
  await app.deps.database.write(people[as].tenant, (tx) =>
    tx.run(sql`/* test */ update scanner.scans set completed_at = completed_at + interval '1 second'
      where tenant = 'acme' and id = ${first}`),
  );
  const { imageDigest } = await app.module.scans.get(people[as], { id: first });
  const { body } = await app.rest('GET', `/api/v1/score/explain/${imageDigest}`, { as });
  assert.equal(body.scanId, first);
});
