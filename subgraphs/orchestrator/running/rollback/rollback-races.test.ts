import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { refusal } from '../../testing/catalogue-app.ts';
import * as store from '../deployments/deployments.store.ts';
import { rollbackScenario, WHY } from './rollback.fixture.ts';

const acme = toTenantId('acme');

test('a launch that loses to a rollback at the last moment is told of the rollback', async (t) => {
  await using scenario = await rollbackScenario();
  await scenario.deploy();
  const undoneDeployment = await scenario.deploy();
  const [rollbackId, launchId] = [0, 1].map(() => toId(scenario.deps.ids.uuid(), 'Deployment'));
  assert(rollbackId && launchId);
  const isWritten = Promise.withResolvers<void>();
  const notified = Promise.withResolvers<void>();
  const rollback = scenario.deps.database.write(acme, async (tx) => {
    const input = {
      ...undoneDeployment,
      id: rollbackId,
      kind: 'rollback',
      previousDeploymentId: undoneDeployment.id,
      reason: WHY,
    } as const;
    await store.insert(tx, acme, { ...input, timeoutSeconds: 60 });
    isWritten.resolve();
    await notified.promise;
  });
  await isWritten.promise;
  scenario.statements.length = 0;
  // The read that came before saw no running deployment.
  const launch = assert.rejects(
    scenario.deps.database.write(acme, (tx) =>
      store.insert(tx, acme, { ...undoneDeployment, id: launchId, timeoutSeconds: 60 }),
    ),
    refusal('DEPLOY_ROLLBACK_IN_PROGRESS', { deploymentId: rollbackId }),
  );
  const isSent = () => assert(scenario.statements.includes('orchestrator.deployments.insert'));
  await t.waitFor(isSent, { timeout: 10_000 });
  notified.resolve();
  await Promise.all([rollback, launch]);
});
