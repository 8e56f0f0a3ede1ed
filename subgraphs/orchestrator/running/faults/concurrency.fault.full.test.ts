import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '../../testing/catalogue-app.ts';
import { landedAt, leased } from '../../testing/deploying-app.ts';
import { twoServers } from './two-servers.fixture.ts';

// spec: 7.2/DEPLOY_ROLLBACK_IN_PROGRESS
test('of 20 rollbacks at once through two servers exactly one makes a job, and the others are told of it', async (t) => {
  await using installation = await twoServers();
  const { servers, promotions, agent } = installation;
  for (const { id } of promotions.slice(0, 2)) {
    await servers[0].call('deployment.launch', { promotionId: id });
    const assignment = await t.waitFor(() => leased(installation, agent), { timeout: 30_000 });
    await installation.report(agent, assignment, 1, landedAt(assignment));
  }
  for (const server of servers) await server.holdAt('deploy.runner.begun');
  const promotion = { environmentId: promotions[0]?.targetEnvironmentId, reason: 'Checkout answers 500.' };
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => servers[i % 2 === 0 ? 0 : 1].call('environment.rollback', promotion)),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 19);
  for (const { reason } of refused) assert(refusal('DEPLOY_ROLLBACK_IN_PROGRESS')(reason), String(reason));

  const { items } = await installation.module.deployments.list(installation.caller('viewer'), {});
  assert.deepEqual(
    items.map(({ kind, promotionId }) => [kind, promotionId]),
    [
      ['rollback', promotions[0]?.id],
      ['deploy', promotions[1]?.id],
      ['deploy', promotions[0]?.id],
    ],
  );
  assert.deepEqual([items[1]?.state, items[1]?.undoneById], ['rollback_in_progress', items[0]?.id]);
});
