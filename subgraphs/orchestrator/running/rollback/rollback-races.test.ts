import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { refusal } from '../../testing/catalogue-app.ts';
import * as store from '../deployments/deployments.store.ts';
import { rollbackScenario, WHY } from './rollback.fixture.ts';

const acme = toTenantId('acme');

test('a launch that loses to a rollback at the last moment is told of the rollback', async (t) => {
  await using world = await rollbackScenario();
  await world.deploy();
  const undone = await world.deploy();
  const [rollbackId, launchId] = [0, 1].map(() => toId(world.deps.ids.uuid(), 'Deployment'));
  assert(rollbackId && launchId);
  const written = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const rollback = world.deps.database.write(acme, async (tx) => {
    const given = {
      ...undone,
      id: rollbackId,
      kind: 'rollback',
      previousDeploymentId: undone.id,
      reason: WHY,
    } as const;
    await store.insert(tx, acme, { ...given, timeoutSeconds: 60 });
    written.resolve();
    await told.promise;
  });
  await written.promise;
  world.statements.length = 0;
  // An earlier reader saw no deployment under way.
  const launch = assert.rejects(
    world.deps.database.write(acme, (tx) => store.insert(tx, acme, { ...undone, id: launchId, timeoutSeconds: 60 })),
    refusal('DEPLOY_ROLLBACK_IN_PROGRESS', { deploymentId: rollbackId }),
  );
  const isSent = () => assert(world.statements.includes('orchestrator.deployments.insert'));
  await t.waitFor(isSent, { timeout: 10_000 });
  told.resolve();
  await Promise.all([rollback, launch]);
});
