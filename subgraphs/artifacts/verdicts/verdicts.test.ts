import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as trustedSigners from '@landfall/attestation/admission/trusted-signers.store';
import { createKey, createPlatform, SUBJECT, statement } from '@landfall/attestation/bundle/bundle.fixture';
import { IN_TOTO_PAYLOAD_TYPE } from '@landfall/attestation/signature/statement';
import { detached } from '@landfall/kernel/core/connection-use';
import { toId } from '@landfall/kernel/core/ids';
import { envelopeJson, signEnvelope } from '@landfall/kernel/crypto/dsse';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { event } from '@landfall/kernel/events/write';
import Type from 'typebox';
import { artifactApp, operator, viewer, withoutKeys } from '../testing/artifact-app.ts';

const events = table('kernel.events judged', { type: text, data: json(Type.Unknown()) });

type App = Awaited<ReturnType<typeof artifactApp>>;

const trail = (app: App) =>
  app.rows(events, sql`select type, data from kernel.events where type = 'artifact.judge' order by id`);

/** Verdict and signer of the only subject that the store has. */
const judged = async ({ module }: App) => {
  const { items } = await module.artifacts.search(viewer, { subjectDigest: `sha256:${SUBJECT}` });
  const ids = items.map(({ artifactId }) => artifactId);
  return (await module.artifacts.subjects(viewer, { ids })).map(({ verdict, signer }) => [verdict, signer]);
};

test('a statement of the platform itself is verified by its trust document, and a changed one is invalid', async () => {
  const platform = createPlatform();
  const upstream = async () => ({ status: 200, body: Buffer.from(platform.trust) });
  await using app = await artifactApp({ upstream });
  const bundle = JSON.parse(await platform.bundle());
  await app.put(bundle, { bomRef: 'whole' });
  await app.module.judgeDue();
  assert.deepEqual(await judged(app), [['verified', 'landfall']]);
  const [signature] = bundle.dsseEnvelope.signatures;
  const payload = Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString().replace('prod', 'test');
  const changed = { payload: Buffer.from(payload).toString('base64'), signatures: [signature] };
  await app.put({ ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, ...changed } }, { bomRef: 'changed' });
  await app.module.judgeDue();
  const { items } = await app.module.artifacts.search(viewer, { verdict: 'invalid' });
  assert.deepEqual(
    items.map(({ bomRef, verdict }) => [bomRef, verdict]),
    [['changed', 'invalid']],
  );
});

test('an envelope is judged again when the trust of its tenant changes, with an event', async () => {
  await using app = await artifactApp();
  const signer = createKey('ed25519');
  const envelope = await signEnvelope(signer, IN_TOTO_PAYLOAD_TYPE, statement());
  await app.put(envelopeJson(envelope), { bomRef: 'of a stranger' });
  await app.module.judgeDue();
  assert.deepEqual(await judged(app), [['unverified', null]]);

  const id = toId(app.deps.ids.uuid(), 'TrustedSigner');
  await app.deps.database.write(operator.tenant, async (tx) => {
    const publicKey = signer.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const nothing = { issuer: null, identity: null, trustedRoot: null, builderId: null };
    const row = { id, name: 'builder', kind: 'key', purposes: ['image'], publicKey, keyId: signer.keyId } as const;
    await trustedSigners.insert(tx, operator.tenant, { ...row, ...nothing }, 'test');
    await event(tx, operator, 'trustedSigner.create', { entity: 'TrustedSigner', id, version: 1 });
  });
  await app.module.followPlatform();
  assert.equal(await app.module.judgeDue(), 1);
  assert.deepEqual(await judged(app), [['verified', 'builder']]);

  await app.deps.database.write(operator.tenant, async (tx) => {
    await trustedSigners.remove(tx, operator.tenant, id, 'test');
    await event(tx, operator, 'trustedSigner.remove', { entity: 'TrustedSigner', id, version: 2 });
  });
  await app.module.followPlatform();
  await app.module.judgeDue();
  assert.deepEqual(await judged(app), [['unverified', null]]);
  assert.deepEqual(
    (await trail(app)).map(({ data }) => data),
    [
      { verdict: 'unverified', signer: null },
      { verdict: 'verified', signer: 'builder', note: 'No log was checked: it is in no log.' },
      { verdict: 'unverified', signer: null },
    ],
  );
});

test('trust that changes while an artifact is judged has it judged again', async () => {
  let module: App['module'] | undefined;
  await using app = await artifactApp({
    upstream: async (caller, request) => {
      await detached(async () => module?.judgeAgain(operator.tenant));
      module = undefined;
      return withoutKeys(caller, request);
    },
  });
  await app.put(envelopeJson(await signEnvelope(createKey('ed25519'), IN_TOTO_PAYLOAD_TYPE, statement())), {
    bomRef: 'a',
  });
  module = app.module;
  assert.equal(await app.module.judgeDue(), 1);
  assert.equal(await app.module.judgeDue(), 1, 'by the new trust');
  assert.equal(await app.module.judgeDue(), 0);
});

test('evidence that is put again after it was deleted is judged again, and its subjects with it', async () => {
  const platform = createPlatform();
  const upstream = async () => ({ status: 200, body: Buffer.from(platform.trust) });
  await using app = await artifactApp({ upstream });
  const bundle = JSON.parse(await platform.bundle());
  await app.put(bundle, { bomRef: 'whole' });
  await app.module.judgeDue();
  await app.deps.database.write(operator.tenant, (tx) =>
    tx.run(sql`update evidence.artifact_index set is_deleted = true`),
  );
  const { artifact } = await app.module.artifacts.put(
    { ...operator, scopes: new Set([...operator.scopes, 'orch:admin']) },
    { bomRef: 'whole', content: Buffer.from(JSON.stringify(bundle)).toString('base64') },
  );
  assert.equal(artifact.verdict, null);
  assert.equal(await app.module.judgeDue(), 1);
  assert.deepEqual(await judged(app), [['verified', 'landfall']]);
});

test('a signature that cannot be read is unverified with a note, and not invalid', async () => {
  await using app = await artifactApp();
  const bundle = { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json', dsseEnvelope: 7 };
  await app.put(bundle, { bomRef: 'broken' });
  await app.module.judgeDue();
  const [{ data } = { data: {} }] = await trail(app);
  assert.equal(Reflect.get(Object(data), 'verdict'), 'unverified');
  assert.match(String(Reflect.get(Object(data), 'note')), /^No signature was checked/);
});

test('evidence is not judged while the trust document of the platform cannot be had', async () => {
  let status = 503;
  const platform = createPlatform();
  const upstream = async () => ({ status, body: Buffer.from(platform.trust) });
  await using app = await artifactApp({ upstream });
  await app.put(JSON.parse(await platform.bundle()), { bomRef: 'whole' });
  await assert.rejects(app.module.judgeDue(), /answered with 503/);
  status = 200;
  await app.module.judgeDue();
  assert.deepEqual(await judged(app), [['verified', 'landfall']]);
});
