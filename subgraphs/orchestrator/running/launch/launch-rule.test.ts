import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, hasTenant } from '@landfall/kernel/core/caller';
import { recordController } from '@landfall/kernel/identity/client-controllers';
import { caller } from '@landfall/kernel/testing/callers';
import { refusal } from '../../testing/catalogue-app.ts';
import { rollbackScenario } from '../rollback/rollback.fixture.ts';

const PERMISSION = 'query ($id: ID!) { promotion(id: $id) { viewerCanLaunch { allowed code reason } } }';

// spec: 7.2/PERM_SOD_VIOLATION
test('where duties are separated, nobody related to the only approver launches', async () => {
  await using scenario = await rollbackScenario({ requiredApprovals: 1, separationOfDuties: 'author' });
  const [operator, approver, second] = [
    scenario.caller('operator'),
    scenario.caller('approver'),
    scenario.caller('second-approver'),
  ];
  const client = caller({ subject: scenario.deps.ids.uuid(), scopes: [...operator.scopes], kind: 'client' });
  assert.ok(hasTenant(approver));
  await scenario.deps.database.write(approver.tenant, (tx) => recordController(tx, approver, client.subject));
  const { id } = await scenario.seed.approved(await scenario.seed.ready(), scenario.environment);
  const button = async (as: Caller) => {
    const { data, errors } = await scenario.graph(PERMISSION, { id }, { as });
    assert.equal(errors, undefined);
    return Object(Object(data?.promotion).viewerCanLaunch);
  };
  const otherPromotion = { ...second, clientId: client.subject };
  const exchanged = { ...second, clientId: 'service', earlierHolders: [client.subject] };
  const inConsole = 'Ask another person to launch, or launch in the console.';
  for (const [by, advice] of [
    [client, 'Ask a person to launch.'],
    [otherPromotion, inConsole],
    [exchanged, inConsole],
  ] as const) {
    const denied = refusal('PERM_SOD_VIOLATION', { approver: approver.subject, clients: [client.subject] });
    await assert.rejects(scenario.module.deployments.launch(by, { promotionId: id }), denied);
    const { allowed, code, reason } = await button(by);
    assert.deepEqual([allowed, code], [false, 'PERM_SOD_VIOLATION']);
    assert.ok(reason.endsWith(advice), reason);
  }
  assert.equal((await button(approver)).code, 'PERM_SOD_VIOLATION');
  assert.equal((await button(second)).allowed, true);
  assert.equal((await scenario.module.deployments.launch(second, { promotionId: id })).promotionId, id);
});
