import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { createDatabase } from '@landfall/kernel/db/database';
import { startUpgrade } from '@landfall/kernel/testing/upgrade';
import { listByDeployments as listPhases } from './deployments/deployment-phases.store.ts';
import { listByDeployments as listTargets } from './deployments/deployment-targets.store.ts';
import * as deployments from './deployments/deployments.store.ts';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));
const kernel = fileURLToPath(new URL('../../kernel/migrations', import.meta.url));
const tenant = toTenantId('acme');

const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const plan = JSON.stringify({
  strategy: 'all_at_once',
  requestedStrategy: 'all_at_once',
  targetCount: 1,
  phases: [{ index: 0, targetCount: 1, kind: 'all' }],
  effectiveBehaviour: 'The one target changes over.',
  caveats: [],
});

const anatomy = JSON.stringify({
  stage: 'health-probe',
  category: 'HealthCheckFailed',
  reason: 'probe-failed',
  plainReason: 'It failed.',
  detail: 'HTTP 500',
  action: 'Mend it.',
  actionPath: null,
  retryable: false,
});

/**
 * Statements that create an environment of the former version, with a deployment in each relevant state, one target
 * each.
 */
const past = (): string[] => {
  const jobs = [
    ['completed', 'succeeded', `null, 'verified', now()`],
    ['failed', 'failed', `'${anatomy}', null, now()`],
    ['failed', 'failed', `'${anatomy}', null, now()`],
    ['in_progress', 'running', 'null, null, null'],
  ] as const;
  const by = `'acme', '${uuid(1)}'`;
  return [
    `insert into orchestrator.environments (tenant, id, name, order_index, stage_kind, required_approvals,
       separation_of_duties, required_evidence, default_strategy, deploy_timeout_seconds, created_by, updated_by)
     values (${by}, 'prod', 10, 'prod', 0, 'off', '[]', 'all_at_once', 600, 'o', 'o')`,
    `insert into orchestrator.releases (tenant, id, name, semver, gated_digest_set, finalized_at, status, created_by,
       updated_by)
     values (${by}, 'shop', '1.0.0', 'sha256:0', now(), 'ready', 'o', 'o')`,
    `insert into orchestrator.promotions (tenant, id, release_id, target_environment_id, state, reason, requested_by,
       approvals_needed, gated_digest_set, updated_by)
     values (${by}, '${uuid(1)}', '${uuid(1)}', 'deploying', 'go', 'o', 0, 'sha256:0', 'o')`,
    `insert into orchestrator.agents (tenant, id, name, state, software_version, spiffe_id, certificate_serial,
       certificate_not_after, public_key, capabilities, host_facts, created_by)
     values (${by}, 'one', 'active', '1', 's', '1', now(), 'k', '{}', '{}', 'o')`,
    `insert into orchestrator.targets (tenant, id, environment_id, name, driver, config, secret_refs, agent_id, created_by,
       updated_by)
     values (${by}, '${uuid(1)}', 't', 'process',
       '{"port": 8080, "probePath": "/", "probeTimeoutSeconds": 5, "env": []}', '[]', '${uuid(1)}', 'o', 'o')`,
    ...jobs.flatMap(([state, targetState, completed], i) => [
      `insert into orchestrator.deployments (tenant, id, promotion_id, release_id, environment_id, kind, strategy, state,
         plan, acknowledged, launched_by, started_at, deadline_at, anatomy, landing, completed_at)
       values ('acme', '${uuid(10 + i)}', '${uuid(1)}', '${uuid(1)}', '${uuid(1)}', 'deploy', 'all_at_once', '${state}',
         '${plan}', '{}', 'o', now(), now(), ${completed})`,
      `insert into orchestrator.deployment_targets (tenant, deployment_id, target_id, name, phase_index, state, anatomy)
       values ('acme', '${uuid(10 + i)}', '${uuid(1)}', 't', 0, '${targetState}',
         ${targetState === 'failed' ? `'${anatomy}'` : 'null'})`,
    ]),
    // The second deployment reached its probe, the third did not pass preflight.
    `insert into orchestrator.deployment_steps (tenant, deployment_id, target_id, stage, step)
     values ('acme', '${uuid(11)}', '${uuid(1)}', 'health-probe', 'failed')`,
    `insert into orchestrator.agent_tasks (tenant, id, deployment_id, target_id, agent_id, spec, secret_refs, deadline_at)
     values ('acme', '${uuid(1)}', '${uuid(13)}', '${uuid(1)}', '${uuid(1)}', '{"driver": "process"}', '{}', now())`,
  ];
};

test('deployments of the version before keep what they were, and have the phase that they had', async () => {
  await using upgrade = await startUpgrade([kernel, folder]);
  await upgrade.migrateTo({ orchestrator: 3 });
  await upgrade.force(...past());
  await upgrade.migrateTo();

  const database = createDatabase({ connection: upgrade.connection });
  await using _closing = { [Symbol.asyncDispose]: () => database.close() };
  const ids = [10, 11, 12, 13].map((n) => toId(uuid(n), 'Deployment'));
  const { jobs, phases, targets } = await database.read(tenant, async (query) => ({
    jobs: await deployments.listByIds(query, tenant, ids),
    phases: await listPhases(query, tenant, ids),
    targets: await listTargets(query, tenant, ids),
  }));
  assert.deepEqual(
    jobs.toSorted((a, b) => a.id.localeCompare(b.id)).map(({ state, plan: { phases: planned } }) => [state, planned]),
    ['completed', 'failed', 'failed', 'in_progress'].map((state) => [
      state,
      [{ index: 0, kind: 'all', targetCount: 1, weight: null, gate: null }],
    ]),
  );
  assert.deepEqual(
    phases.map(({ status, kind, startedAt, endedAt }) => [status, kind, startedAt !== null, endedAt !== null]),
    [
      ['done', 'all', true, true],
      ['failed', 'all', true, true],
      ['skipped', 'all', false, false],
      ['running', 'all', true, false],
    ],
  );
  assert.deepEqual(
    targets.map(({ state }) => state),
    ['succeeded', 'failed', 'failed', 'running'],
  );
});
