import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as attestations from '@landfall/attestation/statements/attestations.store';
import { type TenantId, toTenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { event } from '@landfall/kernel/events/write';
import { arm } from '@landfall/kernel/system/failpoint';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { deployingApp } from '../../testing/deploying-app.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

const acme = toTenantId('acme');
const operator = app.caller('operator');

/** Publishes the completion of a scan, as the scanner does. @returns the scan's id */
const complete = async (imageDigest: string | undefined, data: object = {}, tenant: TenantId = acme) => {
  const id = app.deps.ids.uuid();
  const body = {
    entity: 'Scan',
    id,
    version: 1,
    data: { imageDigest, rootHash: sha256(id), score: 0.482057, ...data },
  };
  await app.deps.database.write(tenant, (tx) =>
    event(tx, { ...caller({ subject: 'scanner' }), tenant }, 'scan.complete', body),
  );
  return id;
};

const statedOf = async ({ id }: Pick<Release, 'id'>) => {
  const listed = await app.deps.database.read(acme, (query) => attestations.listByReleases(query, acme, [id]));
  const scans = listed.filter(({ kind }) => kind === 'scan');
  const whole = await app.deps.database.read(acme, (query) =>
    attestations.listWholeByIds(
      query,
      acme,
      scans.map((row) => row.id),
    ),
  );
  return whole.map(({ extent, payload }) => ({ extent, ...JSON.parse(payload.toString()) }));
};

const digestOf = ({ components: [component] }: Release): string => component?.digest ?? assert.fail('no digest');

const QUERY = 'query ($id: ID!) { custody(releaseId: $id) { steps { statements { attestation { kind } } } } }';

const { imageScans } = app.module.runOnce;

/** States scans until a release has this number of statements; an open transaction elsewhere can delay the events. */
const statements = (release: Release, count: number) =>
  until(async () => {
    await imageScans();
    const stated = await statedOf(release);
    return stated.length === count && stated;
  });

const stateOfScan = async (release: Release) => {
  const { steps } = await app.module.custody.get(operator, { releaseId: release.id });
  const found = steps.find(({ step }) => step === 'scan');
  return [found?.state, found?.reason];
};

test('a completed scan is stated about the releases with its image, once, and signed it is a link of the chain', async () => {
  const release = await app.seed.ready();
  assert.deepEqual(await stateOfScan(release), ['missing', 'no scan of its images is known']);
  const scanId = await complete(digestOf(release));
  const [stated] = await statements(release, 1);
  const [scan] = stated?.predicate.scans ?? [];
  assert.deepEqual(
    [stated?.extent, stated?.predicateType, scan?.scanId, scan?.imageDigest, scan?.rootHash, scan?.scorePpm],
    [1, 'https://landfall.example/predicates/scan@v1', scanId, digestOf(release), sha256(scanId), 482_057],
  );
  assert.equal(await imageScans(), 0, 'nothing is due any more');
  while ((await app.module.runOnce.attestor()) > 0);
  assert.deepEqual(await stateOfScan(release), ['signed', 'its log entry has not been verified yet']);
  const { data, errors } = await app.graph(QUERY, { id: release.id });
  assert.equal(errors, undefined);
  assert.match(JSON.stringify(data), /"kind":"SCAN"/);
});

test('a newer scan of an image is a newer statement', async () => {
  const release = await app.seed.ready();
  await complete(digestOf(release));
  await statements(release, 1);
  const scanId = await complete(digestOf(release), { score: undefined });
  const stated = await statements(release, 2);
  const found = stated.flatMap(({ predicate }) => predicate.scans).find((scan) => scan.scanId === scanId);
  assert.equal(found?.scorePpm, null, 'nothing could be evaluated');
});

test('a release that becomes ready after the scan of its image has the statement at once', async () => {
  const earlier = await app.seed.ready();
  await complete(digestOf(earlier));
  await statements(earlier, 1);
  const later = await app.seed.ready({
    components: earlier.components.map(({ name, repository, digest }) => ({ name, repository, digest })),
  });
  assert.equal((await statedOf(later)).length, 1);
});

test('a scan of another tenant, of no image or without a root is no statement, and a stopped worker loses none', async () => {
  const release = await app.seed.ready();
  await complete(digestOf(release), {}, toTenantId('globex'));
  await complete(undefined);
  await complete(digestOf(release), { rootHash: undefined });
  await complete('sha256:nonsense');
  await complete(digestOf(release));
  {
    using _crash = arm('orchestrator.scans.followed', () => Promise.reject(new Error('killed')));
    await assert.rejects(imageScans(), /killed/);
  }
  const [stated] = await statements(release, 1);
  assert.equal(stated?.predicate.scans.length, 1);
});
