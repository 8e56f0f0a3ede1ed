import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bundleLayer, cosignLayer } from '@landfall/attestation/admission/layers.fixture';
import { BUILDER, COMMIT, provenance1, simpleSigning } from '@landfall/attestation/admission/payloads.fixture';
import { createKeys, type Keys, pemOf } from '@landfall/attestation/admission/signers.fixture';
import { createSigstore, type Sigstore } from '@landfall/attestation/admission/sigstore.fixture';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { arm } from '@landfall/kernel/system/failpoint';
import { buildArtifact, tagFor } from '@landfall/kernel/testing/oci-artifact';
import { type DockerRegistry, dockerPrograms, startDockerRegistry } from '@landfall/kernel/testing/oci-docker';
import { buildImage, type Image } from '@landfall/kernel/testing/oci-image';
import { needs } from '@landfall/kernel/testing/programs';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { type CatalogueApp, catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';
import * as readings from './image-readings.store.ts';
import * as statements from './image-statements.store.ts';

const acme = toTenantId('acme');

let app: CatalogueApp;
let sigstore: Sigstore;
let keys: Keys;
let count = 0;
before(async () => {
  app = await catalogueApp({ hasReferrers: true });
  sigstore = await createSigstore();
});
after(() => app[Symbol.asyncDispose]());

const subjectOf = ({ manifests: [manifest] }: Image) => manifest;

/** Signs an image and attaches provenance, by a key of this test. */
const attach = async (image: Image): Promise<void> => {
  const layer = await bundleLayer(provenance1(image.digest), keys, sigstore);
  app.registry.push(
    'shop/web',
    buildArtifact({ subject: subjectOf(image), artifactType: layer.mediaType, layers: [layer] }),
  );
  const signature = cosignLayer(simpleSigning(image.digest), keys);
  app.registry.push('shop/web', buildArtifact({ layers: [signature] }), tagFor(image.digest, '.sig'));
};

const finalized = async ({ isSigned = true } = {}): Promise<Release> => {
  count += 1;
  keys = createKeys();
  const tag = `signed-${count}`;
  const image = imageOf(tag);
  app.registry.push('shop/web', image, tag);
  if (isSigned) await attach(image);
  return app.seed.finalized({
    semver: `2.0.${count}`,
    components: [{ name: 'web', repository: app.registry.repository('shop/web'), tag }],
  });
};

const trust = (overrides: object = {}) =>
  app.module.trustedSigners.create(app.caller('operator'), {
    name: `Builder ${count} ${Object.keys(overrides).length}`,
    kind: 'key',
    purposes: ['image', 'source', 'build'],
    publicKey: pemOf(keys),
    trustedRoot: sigstore.root(),
    ...overrides,
  });

const stored = ({ id }: Release) =>
  app.deps.database.read(acme, (query) => statements.listByReleases(query, acme, [id]));

const readingOf = async ({ id }: Release) => {
  const [reading] = await app.deps.database.read(acme, (query) => readings.listByReleases(query, acme, [id]));
  return reading ?? assert.fail();
};

const statesOf = async (release: Release) =>
  (await stored(release)).map(({ purpose, state, isForsaken }) => [purpose, isForsaken ? 'forsaken' : state]);

/** Runs the worker until nothing is due. */
const settle = async (): Promise<void> => {
  while ((await app.module.runOnce.imageStatements()) > 0);
};

const stepsOf = async ({ id: releaseId }: Release) => {
  const { steps } = await app.module.custody.get(app.caller('viewer'), { releaseId });
  return Object.fromEntries(steps.map(({ step, state, reason }) => [step, { state, reason }]));
};

test('after a release is finalized its images are read once, and what they say is kept', async () => {
  const release = await finalized();
  await trust({ builderId: BUILDER });
  assert.deepEqual(await stored(release), []);
  assert.match((await stepsOf(release)).build?.reason ?? '', /have not been read yet/);
  await settle();
  assert.deepEqual(await statesOf(release), [
    ['build', 'proven'],
    ['image', 'signed'],
    ['source', 'proven'],
  ]);
  const [build] = await stored(release);
  assert.deepEqual([build?.logIndex, build?.subject], ['5', release.components[0]?.digest]);
  assert.deepEqual((await stepsOf(release)).build, { state: 'proven', reason: null });
  assert.deepEqual((await stepsOf(release)).source, { state: 'proven', reason: null });
  const raw = await app.deps.database.read(acme, async (query) => {
    const listed = await statements.listByRelease(query, acme, release.id);
    assert.ok(listed.every(({ size, isSigned }) => size > 100 && isSigned));
    return statements.listRaw(query, acme, release.id, listed);
  });
  assert.deepEqual(raw.map(({ format }) => format).toSorted(), ['bundle', 'signature'], 'each once, with its bytes');
  assert.equal(await app.module.runOnce.imageStatements(), 0);
  const current = await app.module.releases.get(app.caller('viewer'), { id: release.id });
  assert.equal(current.version, release.version, 'who reads moves no version under somebody’s hands');
});

const SOURCE = `query ($from: ComparedInput!, $to: ComparedInput!) { compareReleases(from: $from, to: $to) {
  components { compareUrl from { source { from } } to { source { uri revision from } } } } }`;

test('the commit that provenance of a trusted signer names is the source of a component, until nobody trusts it', async () => {
  const older = await finalized({ isSigned: false });
  const newer = await finalized();
  const { id, version } = await trust();
  await settle();
  const compared = async () => {
    const variables = { from: { releaseId: older.id }, to: { releaseId: newer.id } };
    const { data, errors } = await app.graph(SOURCE, variables, { as: 'viewer' });
    assert.equal(errors, undefined);
    return JSON.parse(JSON.stringify(data)).compareReleases.components;
  };
  const uri = 'git+https://git.example/shop/web';
  assert.deepEqual(await compared(), [
    { compareUrl: null, from: { source: null }, to: { source: { uri, revision: COMMIT, from: 'PROVENANCE' } } },
  ]);
  await app.module.trustedSigners.remove(app.caller('operator'), { id, expectedVersion: version });
  assert.deepEqual(await compared(), [{ compareUrl: null, from: { source: null }, to: { source: null } }]);
});

test('images without anything attached are an answer: missing, and never asked for again', async () => {
  const release = await finalized({ isSigned: false });
  await settle();
  assert.deepEqual(await stored(release), []);
  const { readAt, dueAt, lastError } = await readingOf(release);
  assert.ok(readAt);
  assert.deepEqual([dueAt, lastError], [null, null]);
  assert.deepEqual((await stepsOf(release)).build, {
    state: 'missing',
    reason: 'web: no such statement is attached to the image',
  });
});

test('a registry that gives no answer is asked again, later each time', async () => {
  const release = await finalized();
  const fault = app.registry.fault({ kind: 'status', match: '/referrers/', status: 503 });
  await settle();
  const first = await readingOf(release);
  assert.match(first.lastError ?? '', /503/);
  assert.match((await stepsOf(release)).source?.reason ?? '', /could not be read: .*503/);
  const waits: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { dueAt, attempts } = await readingOf(release);
    assert.equal(attempts, i + 1);
    const wait = (dueAt?.getTime() ?? 0) - app.deps.clock.now().getTime();
    waits.push(wait);
    assert.equal(await app.module.runOnce.imageStatements(), 0, 'not before its time');
    await app.clock.advance(wait);
    await settle();
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000]);
  fault[Symbol.dispose]();
  await app.clock.advance(8_000);
  await settle();
  assert.deepEqual([(await readingOf(release)).lastError, (await stored(release)).length], [null, 3]);
});

test('a reader that dies leaves nothing half-written, and the images are read when its lease has run out', async () => {
  const release = await finalized();
  await trust();
  const crash = arm('images.read', () => {
    throw new Error('killed');
  });
  await app.module.runOnce.imageStatements();
  crash[Symbol.dispose]();
  assert.deepEqual([await stored(release), (await readingOf(release)).readAt], [[], null]);
  assert.equal(await app.module.runOnce.imageStatements(), 0, 'somebody may still have it');
  await app.clock.advance(180_000);
  await settle();
  assert.equal((await stored(release)).length, 3);
});

test('of many images that are slow to read each has its own time, and nobody else begins with one that is being read', async () => {
  for (let i = 0; i < 4; i++) await finalized();
  const claimedByOther: number[] = [];
  const slow = arm('images.read', async () => {
    await app.clock.advance(60_000);
    if (claimedByOther.push(0) === 4) claimedByOther.push(await app.module.runOnce.imageStatements());
  });
  assert.equal(await app.module.runOnce.imageStatements(), 4);
  slow[Symbol.dispose]();
  assert.deepEqual(claimedByOther, [0, 0, 0, 0, 0]);
});

test('who ceases to be trusted while the images are read counts for nothing', async () => {
  const release = await finalized();
  const { id, version } = await trust();
  const removing = arm('images.read', async () => {
    removing[Symbol.dispose]();
    await app.module.trustedSigners.remove(app.caller('operator'), { id, expectedVersion: version });
  });
  await settle();
  assert.ok((await statesOf(release)).every(([, state]) => state === 'forsaken'));
  assert.equal((await stepsOf(release)).build?.state, 'missing');
});

test('whom the tenant begins to trust counts from then on, and whom it ceases to trust no longer', async () => {
  const release = await finalized();
  await settle();
  assert.deepEqual(await statesOf(release), [
    ['build', 'missing'],
    ['image', 'missing'],
    ['source', 'missing'],
  ]);
  assert.match((await stepsOf(release)).build?.reason ?? '', /^web: sign/);
  const { id, version } = await trust({ purposes: ['build'] });
  await settle();
  assert.equal((await stepsOf(release)).build?.state, 'proven');
  assert.match((await stepsOf(release)).source?.reason ?? '', /is not trusted for source/);
  await app.module.trustedSigners.remove(app.caller('operator'), { id, expectedVersion: version });
  assert.deepEqual((await stepsOf(release)).build, {
    state: 'missing',
    reason: 'web: signer: its signer is trusted no longer',
  });
});

test('who asks has the images read again, and is told what a registry says', async () => {
  const release = await finalized({ isSigned: false });
  await settle();
  await trust();
  const operator = app.caller('operator');
  const readAgain = () => app.module.imageStatements.read(operator, { releaseId: release.id });
  const digest: Digest = `sha256:${(release.components[0]?.digest ?? '').slice(7)}`;
  const layer = cosignLayer(simpleSigning(digest), keys);
  app.registry.push('shop/web', buildArtifact({ layers: [layer] }), tagFor(digest, '.sig'));
  await readAgain();
  assert.deepEqual(await statesOf(release), [['image', 'signed']]);
  using _fault = app.registry.fault({ kind: 'corrupt', match: '.sig' });
  await assert.rejects(readAgain(), refusal('INT_INVALID_RESPONSE', { component: 'web' }));
  assert.deepEqual(await statesOf(release), [['image', 'signed']], 'what was known stays');
});

test('a draft has no images to read, and an unknown release is none', async () => {
  const { id } = await app.seed.draft();
  const operator = app.caller('operator');
  const { read } = app.module.imageStatements;
  await assert.rejects(read(operator, { releaseId: id }), refusal('RES_CONFLICT'));
  await assert.rejects(read(operator, { releaseId: app.deps.ids.uuid() }), refusal('RES_RELEASE_NOT_FOUND'));
  const { custody } = app.module;
  await assert.rejects(custody.get(operator, { releaseId: app.deps.ids.uuid() }), refusal('RES_RELEASE_NOT_FOUND'));
});

test('admission of an image is asked at its registry now', async () => {
  const release = await finalized();
  const [component] = release.components;
  const ask = () =>
    app.module.imageAdmission.check(app.caller('viewer'), {
      repository: component?.repository,
      digest: component?.digest,
    });
  await trust();
  const passed = await ask();
  assert.equal(passed.status, 'pass');
  assert.ok(passed.findings.some(({ signer }) => signer?.startsWith('Builder')));
  using _down = app.registry.fault({ kind: 'status', match: '.att', status: 500 });
  assert.equal((await ask()).status, 'unknown');
});

describe('a registry of the kind that people run', await needs(...dockerPrograms), () => {
  let registry: DockerRegistry;
  before(async () => {
    registry = await startDockerRegistry();
  });
  after(() => registry[Symbol.asyncDispose]());

  test('says of its images what the fixture says of its own', async () => {
    keys = createKeys();
    count += 1;
    const image = buildImage({ layers: [[{ path: 'app', content: 'of docker' }]] });
    await registry.push('shop/web', image, '1');
    const layer = cosignLayer(simpleSigning(image.digest), keys, sigstore);
    await registry.attach('shop/web', buildArtifact({ layers: [layer] }), tagFor(image.digest, '.sig'));
    const signer = await trust({ purposes: ['image'] });
    const release = await app.seed.finalized({
      semver: '3.0.0',
      components: [{ name: 'web', repository: registry.repository('shop/web'), tag: '1' }],
    });
    await settle();
    const [statement] = await stored(release);
    assert.deepEqual([statement?.state, statement?.signedBy, statement?.logIndex], ['proven', signer.keyId, '4711']);
  });
});
