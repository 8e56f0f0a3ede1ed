import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import type { Release } from './releases.store.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { releases } = app.module;
const operator = app.caller('operator');
const at = ({ id, version }: Release) => ({ id, expectedVersion: version });
const record = ({ id }: Release, type: string, content = 'evidence') =>
  releases.recordEvidence(operator, { releaseId: id, type, digest: sha256(content) });

await app.seed.environment({ orderIndex: 1, requiredEvidence: ['sbom', 'provenance'] });
await app.seed.environment({ orderIndex: 2, requiredEvidence: ['vex'] });

test('a release that lacks evidence does not become ready, and is told what it lacks', async () => {
  const release = await app.seed.finalized();
  await assert.rejects(
    releases.markReady(operator, at(release)),
    refusal('REL_NOT_READY', { missingEvidence: ['sbom', 'provenance'] }),
  );
});

test('the last missing piece makes a finalized release ready', async () => {
  const release = await app.seed.finalized();
  assert.equal((await record(release, 'vex')).status, 'finalized');
  assert.equal((await record(release, 'sbom')).status, 'finalized');
  const ready = await record(release, 'provenance');
  assert.equal(ready.status, 'ready');
  assert.deepEqual(ready.evidence.map(({ type }) => type).toSorted(), ['provenance', 'sbom', 'vex']);
});

test('a hold keeps a complete release from becoming ready by itself', async () => {
  const release = await app.seed.finalized();
  await releases.hold(operator, { ...at(release), reason: 'Wait for the review.' });
  await record(release, 'sbom');
  const complete = await record(release, 'provenance');
  assert.equal(complete.status, 'finalized');
  const free = await releases.clearHold(operator, at(complete));
  assert.equal((await releases.markReady(operator, at(free))).status, 'ready');
});

test('a draft takes no evidence: its components may still change under it', async () => {
  const draft = await app.seed.draft();
  await assert.rejects(record(draft, 'sbom'), refusal('RES_CONFLICT', { status: 'draft' }));
  assert.deepEqual((await releases.get(operator, { id: draft.id })).evidence, []);
});

test('the same piece is attached once, another digest of its type again', async () => {
  const release = await app.seed.finalized();
  await record(release, 'vex');
  await assert.rejects(record(release, 'vex'), refusal('RES_ALREADY_EXISTS'));
  assert.equal((await record(release, 'vex', 'newer')).evidence.length, 2);
});

test('the graph says what is missing by the rule that refuses', async () => {
  const { id } = await app.seed.finalized();
  await record({ ...(await releases.get(operator, { id })) }, 'sbom');
  const { data, errors } = await app.graph(
    `query ($id: ID!) { release(id: $id) {
      missingEvidence evidence { type digest recordedAt }
      viewerCanFinalize { allowed code } viewerCanMarkReady { allowed code reason } } }`,
    { id },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    release: {
      missingEvidence: ['PROVENANCE'],
      evidence: [{ type: 'SBOM', digest: sha256('evidence'), recordedAt: app.clock.now().toISOString() }],
      viewerCanFinalize: { allowed: false, code: 'REL_ALREADY_FINALIZED' },
      viewerCanMarkReady: {
        allowed: false,
        code: 'REL_NOT_READY',
        reason: 'The release lacks evidence: provenance.',
      },
    },
  });
});
