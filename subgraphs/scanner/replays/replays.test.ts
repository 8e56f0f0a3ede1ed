import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseWhileConnected } from '@landfall/kernel/core/connection-use';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { people } from '@landfall/kernel/testing/callers';
import pg from 'pg';
import { scannerApp } from '../testing/scanner-app.ts';
import { createReplays } from './replays.ts';

const operator = { as: people['scan-operator'] };
const REPLAY = `mutation ($input: ReplayScoreInput!) { replayScore(input: $input) {
  score rootHash verificationStatus deterministic bundleUri factors { name weighted source } } }`;
const VERIFY = `mutation ($input: VerifyScoreInput!) { verifyScore(input: $input) { valid errorMessage } }`;
const SCANS = `{ scans { edges { node { id manifest { manifestHash feedHash }
  replays { score rootHash } proofs { rootHash bundleType } } } } }`;

test('the graph replays and verifies as REST does', async () => {
  await using app = await scannerApp();
  const scanId = await app.frozenScan();
  const replayed: { rootHash?: string; score?: number; verificationStatus?: string } = JSON.parse(
    JSON.stringify((await app.graph(REPLAY, { input: { scanId } }, operator)).data?.replayScore),
  );
  assert.equal(replayed.verificationStatus, 'verified');
  const input = { scanId, expectedRootHash: replayed.rootHash };
  const { data } = await app.graph(VERIFY, { input }, operator);
  assert.equal(JSON.stringify(data?.verifyScore), '{"valid":true,"errorMessage":null}');
});

test('the replays, proofs and manifests of a page of scans are read by one statement each', async () => {
  await using app = await scannerApp();
  for (let scan = 0; scan < 5; scan++) await app.module.replays.replay(operator.as, { scanId: await app.frozenScan() });
  app.statements.length = 0;
  const { data, errors } = await app.graph(SCANS, {}, operator);
  assert.equal(errors, undefined);
  assert.equal(JSON.stringify(data).match(/"bundleType":"score"/g)?.length, 5);
  for (const name of ['manifests', 'score_replays', 'proof_bundles'])
    assert.equal(app.statements.filter((statement) => statement === `scanner.${name}.listByScans`).length, 1, name);
});

test('a replay and a verification are in the audit trail', async () => {
  await using app = await scannerApp();
  const scanId = await app.frozenScan();
  const { rootHash } = await app.module.replays.replay(operator.as, { scanId });
  await app.module.proofs.verify(operator.as, { scanId, expectedRootHash: 'other' });
  const trail = await app.events();
  assert.deepEqual(
    trail.map(({ type }) => type),
    ['score.replay', 'score.verify'],
  );
  assert.match(JSON.stringify(trail[0]?.data), new RegExp(rootHash));
  assert.match(JSON.stringify(trail[1]?.data), /"valid":false/);
});

test('a repeated request with an idempotency key is one replay', async () => {
  await using app = await scannerApp();
  const scanId = await app.frozenScan();
  const key = { idempotencyKey: 'one' };
  const first = await app.module.replays.replay(operator.as, { scanId }, key);
  await app.clock.advance(60_000);
  const again = await app.module.replays.replay(operator.as, { scanId }, key);
  assert.equal(new Date(again.replayedAt).getTime(), first.replayedAt.getTime());
  assert.equal((await app.module.replays.history(operator.as, { scanId })).length, 1);
});

test('a replay whose transaction is rolled back at its commit is not in the history of the process', async () => {
  await using app = await scannerApp();
  const scanId = await app.frozenScan();
  const client = new pg.Client(app.connection);
  await client.connect();
  await client.query(`create function scanner.refuse() returns trigger language plpgsql as $$
    begin raise exception 'refused at the commit'; end $$`);
  await client.query(`create constraint trigger refuse after insert on scanner.score_replays deferrable initially deferred
    for each row execute function scanner.refuse()`);
  await assert.rejects(app.module.replays.replay(operator.as, { scanId }));
  assert.deepEqual(await app.module.replays.history(operator.as, { scanId }), []);
  await client.query('drop trigger refuse on scanner.score_replays');
  await client.end();
  await app.module.replays.replay(operator.as, { scanId });
  assert.equal((await app.module.replays.history(operator.as, { scanId })).length, 1);
});

test('an explanation is computed without a connection to the database', async () => {
  await using app = await scannerApp();
  const digest = sha256('shop');
  await app.frozenScan({ image: 'shop' });
  const { deps } = app;
  const clock = {
    now: () => {
      refuseWhileConnected('the time');
      return deps.clock.now();
    },
  };
  const signingKeys = createSigningKeys(deps);
  const bundles = { directory: app.proofsDirectory, isContentAddressed: true, signingKeys };
  const { explain } = createReplays({ ...deps, clock, bundles, isHistoryDurable: false });
  assert.equal((await explain(operator.as, { digest })).digest, digest);
});
