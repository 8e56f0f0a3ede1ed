import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as attestations from '@landfall/attestation/statements/attestations.store';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { deployingApp, landedAt, leased, type TestAgent } from '../../testing/deploying-app.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

const tenant = toTenantId('acme');
const operator = app.caller('operator');

/** Finds the newest statement of a release by kind. */
const statedOf = async ({ id }: Pick<Release, 'id'>) => {
  const rows = await app.deps.database.read(tenant, async (query) => {
    const listed = await attestations.listByReleases(query, tenant, [id]);
    return attestations.listWholeByIds(
      query,
      tenant,
      listed.map((row) => row.id),
    );
  });
  return Object.fromEntries(rows.map((row) => [row.kind, { ...row, says: JSON.parse(row.payload.toString()) }]));
};

const agent = await app.register();

/** Has the agent complete `count` tasks. */
const work = async (worker: TestAgent, count: number, overrides = {}): Promise<void> => {
  for (let i = 0; i < count; i++) {
    const assignment = await leased(app, worker);
    await app.report(worker, assignment, 1, landedAt(assignment, overrides));
  }
};

let stages = 0;

/**
 * Creates an environment with targets, before those of earlier tests in the promotion path, so that a release may enter
 * it first.
 */
const withTargets = async (count: number, overrides = {}): Promise<Environment> => {
  stages += 1;
  const environment = await app.seed.environment({ orderIndex: 1000 - stages, ...overrides });
  for (let i = 0; i < count; i++) await app.seed.target(environment, agent);
  return environment;
};

const withEvidence = async (): Promise<Release> => {
  const release = await app.seed.finalized();
  await app.module.releases.recordEvidence(operator, { releaseId: release.id, type: 'sbom', digest: sha256('sbom') });
  return app.module.releases.get(operator, { id: release.id });
};

test('approval, evidence, launch and landing are each stated once, and rest on each other', async () => {
  const environment = await withTargets(2, { requiredApprovals: 1, requiredEvidence: ['sbom'] });
  const release = await withEvidence();
  const promotion = await app.seed.approved(release, environment);
  const job = await app.launch(promotion.id);
  await work(agent, 2);

  const stated = await statedOf(release);
  assert.deepEqual(Object.keys(stated).toSorted(), ['approval', 'deployment', 'evidence', 'verification_summary']);
  const { approval, evidence, deployment, verification_summary: summary } = stated;
  assert.deepEqual(
    [approval?.subjectId, evidence?.subjectId, summary?.subjectId, deployment?.subjectId],
    [promotion.id, `${release.id}/1`, job.id, job.id],
  );
  assert.deepEqual(
    approval?.says.predicate.approvals.map(({ actor }: { actor: string }) => actor),
    [app.caller('approver').subject],
  );
  assert.deepEqual(
    summary?.says.predicate.inputAttestations.map(
      (input: { digest: { sha256: string } }) => `sha256:${input.digest.sha256}`,
    ),
    [approval?.payloadDigest, evidence?.payloadDigest].toSorted(),
  );
  const digest = release.components[0]?.digest;
  const { predicate, subject } = deployment?.says ?? {};
  assert.deepEqual(subject, [{ name: 'web', digest: { sha256: digest?.slice('sha256:'.length) } }]);
  assert.equal(predicate.targets.length, 2);
  for (const target of predicate.targets) {
    assert.deepEqual([target.gatedDigest, target.reportedDigest, target.observedDigest], [digest, digest, digest]);
    assert.match(target.agentSpiffe, new RegExp(`/agent/${agent.id}$`));
  }
  assert.match(predicate.agentKeys[0], /^[0-9a-f]{64}$/);
  assert.deepEqual(predicate.evidence, [{ type: 'sbom', sha256: sha256('sbom').slice('sha256:'.length) }]);
});

test('evidence that comes after a release is ready is stated, and a launch rests on all there is by then', async () => {
  const environment = await withTargets(1, { requiredApprovals: 0 });
  const { id } = await app.seed.ready();
  const pieces = async () => {
    const rows = await app.deps.database.read(tenant, (query) =>
      attestations.listByReleases(query, tenant, [toId(id, 'Release')]),
    );
    return rows.filter(({ kind }) => kind === 'evidence').map(({ extent }) => extent);
  };
  const before = (await app.module.releases.get(operator, { id })).evidence.length;
  for (const reason of ['late', 'later'])
    await app.module.releases.recordEvidence(operator, { releaseId: id, type: 'vex', digest: sha256(reason) });
  assert.deepEqual((await pieces()).slice(-2), [before + 1, before + 2]);
  const release = await app.module.releases.get(operator, { id });
  const promotion = await app.seed.approved(release, environment);
  await app.module.releases.recordEvidence(operator, { releaseId: id, type: 'vex', digest: sha256('at last') });
  await app.launch(promotion.id);
  await work(agent, 1);
  const { evidence, verification_summary: summary } = await statedOf(release);
  assert.equal(evidence?.says.predicate.evidence.length, before + 3);
  assert.deepEqual(
    summary?.says.predicate.inputAttestations.map((input: { digest: { sha256: string } }) => input.digest.sha256),
    [evidence?.payloadDigest.slice('sha256:'.length)],
  );
});

// spec: 6/attestation-predicate
test('a landing that is not verified whole is not stated', async () => {
  const environment = await withTargets(2, { requiredApprovals: 0 });
  const release = await app.seed.ready();
  const { id } = await app.launch((await app.seed.approved(release, environment)).id);
  await work(agent, 1);
  await work(agent, 1, { observedDigest: null });
  const job = await app.module.deployments.get(operator, { id });
  assert.deepEqual([job.state, job.landing], ['completed', 'unverified']);
  assert.deepEqual(Object.keys(await statedOf(release)), ['verification_summary']);
});

test('a rollback that lands is stated, with what it undoes', async () => {
  const environment = await withTargets(1, { requiredApprovals: 0 });
  const first = await app.seed.ready();
  for (const release of [first, await app.seed.ready()]) {
    await app.launch((await app.seed.approved(release, environment)).id);
    await work(agent, 1);
  }
  const reason = 'It answers 500 since noon.';
  const rollback = await app.module.deployments.rollback(operator, { environmentId: environment.id, reason });
  await app.module.runOnce.runner();
  await work(agent, 1);
  const found = await app.deps.database.read(tenant, async (query) => {
    const listed = await attestations.listByDeployments(query, tenant, [toId(rollback.id, 'Deployment')]);
    return attestations.listWholeByIds(
      query,
      tenant,
      listed.map(({ id }) => id),
    );
  });
  const claims = JSON.parse(found[0]?.payload.toString() ?? '{}');
  assert.equal(claims.predicate.previousDeploymentId, rollback.previousDeploymentId);
  assert.equal(found.length, 1);
});
