import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { testDeps } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { createEnvironments } from '../../catalogue/environments/environments.ts';
import { createTrustedSigners } from '../../evidence/images/trusted-signers.ts';
import { createPolicies } from './policies.ts';

const reader = people['search-admin'];

const policiesApp = async () => {
  const base = await testDeps();
  const { deps } = base;
  return {
    ...base,
    environments: createEnvironments(deps),
    signers: createTrustedSigners(deps),
    policies: createPolicies(deps),
  };
};

type App = Awaited<ReturnType<typeof policiesApp>>;

const twoEnvironments = async ({ environments }: App) => {
  const staging = await environments.create(people.operator, {
    name: 'Staging',
    orderIndex: 10,
    stageKind: 'stage',
    requiredApprovals: 0,
    requiredEvidence: ['sbom', 'provenance'],
  });
  const production = await environments.create(people.operator, {
    name: 'Production',
    orderIndex: 20,
    stageKind: 'prod',
    requiredApprovals: 2,
    separationOfDuties: 'author',
    requiredEvidence: ['vex'],
    defaultStrategy: 'canary',
    strategyParams: { canarySteps: [10, 100] },
  });
  return { staging, production };
};

const ruleOf = async ({ policies }: App, policyId: string) => {
  const { items } = await policies.listEffective(reader, {});
  const found = items.find((policy) => policy.policyId === policyId);
  return [found?.enabled, found?.rule];
};

test('what an environment asks for is said in words, and whether it decides anything', async () => {
  await using app = await policiesApp();
  const { staging, production } = await twoEnvironments(app);
  assert.deepEqual(await ruleOf(app, `approvals:${staging.id}`), [false, 'A promotion to Staging needs no approval.']);
  assert.deepEqual(await ruleOf(app, `approvals:${production.id}`), [
    true,
    'A promotion to Production needs 2 approvals, none of them by who requested it.',
  ]);
  assert.deepEqual(await ruleOf(app, `evidence:${staging.id}`), [
    true,
    'A release without an SBOM and provenance is not ready, and only what is ready comes to Staging.',
  ]);
  assert.deepEqual(await ruleOf(app, `evidence:${production.id}`), [
    false,
    'Production asks for a VEX document; a release is held against the first environment of the path.',
  ]);
  assert.deepEqual(await ruleOf(app, `promotion_order:${production.id}`), [
    true,
    'A release comes to Production only after it has landed verified in Staging and everything before it.',
  ]);
  assert.deepEqual(await ruleOf(app, `strategy:${production.id}`), [
    true,
    'Unless a launch says otherwise, Production is deployed as a canary in steps of 10% and 100%. Somebody passes each gate. A target that takes longer than 600 seconds has failed.',
  ]);
});

test('pages go by id, hold everything once, and other tenants see their own alone', async () => {
  await using app = await policiesApp();
  await twoEnvironments(app);
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { items, nextCursor } = await app.policies.listEffective(reader, { first: 5, after });
    ids.push(...items.map(({ policyId }) => policyId));
    if (nextCursor === null) break;
    after = nextCursor;
  }
  assert.equal(ids.length, 2 * 6 + 1);
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
  const { items } = await app.policies.listEffective({ ...reader, tenant: toTenantId('globex') }, {});
  assert.deepEqual(
    items.map(({ policyId }) => policyId),
    ['landing:platform'],
  );
  await assert.rejects(
    app.policies.listEffective(reader, { after: 'bm9wZQ' }),
    (error) => error instanceof Fault && error.code === 'VAL_INVALID_FORMAT',
  );
  await assert.rejects(
    app.policies.listEffective(people.operator, {}),
    (error) => error instanceof Fault && error.code === 'PERM_SCOPE_DENIED',
  );
});

test('who is trusted no longer is told for a while, as ended, where expired ones are asked for', async () => {
  await using app = await policiesApp();
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const signer = await app.signers.create(people.operator, {
    name: 'Build',
    kind: 'key',
    purposes: ['image'],
    publicKey,
  });
  const signers = async (input: object) =>
    (await app.policies.listEffective(reader, input)).items
      .filter(({ kind }) => kind === 'trusted_signer')
      .map(({ enabled, expiresAt }) => [enabled, expiresAt]);
  assert.deepEqual(await signers({ enabledOnly: true }), [[true, null]]);
  await app.signers.remove(people.operator, { id: signer.id, expectedVersion: signer.version });
  assert.deepEqual(await signers({}), []);
  assert.deepEqual(await signers({ includeExpired: true }), [[false, app.clock.now()]]);
  assert.deepEqual(await signers({ includeExpired: true, enabledOnly: true }), []);
});

const insertDrift = (app: App, environmentId: string, { expires, digest }: { expires: string; digest: string }) =>
  app.deps.database.write(toTenantId('acme'), async (tx) => {
    const target = app.deps.ids.uuid();
    await tx.run(sql`insert into orchestrator.targets (tenant, id, environment_id, name, driver, config, secret_refs,
        created_by, updated_by)
      values ('acme', ${target}, ${environmentId}, ${`web-${digest}`}, 'process', '{}', '[]', 'x', 'x')`);
    await tx.run(sql`insert into orchestrator.deviations (tenant, id, target_id, component, digest, reason, owner, expires_at)
      values ('acme', ${app.deps.ids.uuid()}, ${target}, 'api', ${digest}, 'A fix by hand.', 'ada',
        kernel.now() + ${expires}::interval)`);
  });

test('a drift that somebody owns is a policy until its day', async () => {
  await using app = await policiesApp();
  const { staging } = await twoEnvironments(app);
  await insertDrift(app, staging.id, { expires: '1 day', digest: 'sha256:aa' });
  await insertDrift(app, staging.id, { expires: '-1 day', digest: 'sha256:bb' });
  const drifts = async (input: object) =>
    (await app.policies.listEffective(reader, input)).items.filter(({ kind }) => kind === 'accepted_drift');
  const [active, ...others] = await drifts({});
  assert.deepEqual(others, []);
  assert.deepEqual(
    [active?.enabled, active?.rule, active?.environment?.name],
    [
      true,
      'sha256:aa of api may run on web-sha256:aa in Staging although it was not approved: A fix by hand.',
      'Staging',
    ],
  );
  assert.deepEqual((await drifts({ includeExpired: true })).map(({ enabled }) => enabled).toSorted(), [false, true]);
});
