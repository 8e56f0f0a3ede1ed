import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integer } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { landedAt, leased } from '../../testing/deploying-app.ts';
import { twoServers } from './two-servers.fixture.ts';

const counted = table('test.counted', { count: integer });

test('of 100 launches at once through two servers exactly one makes a job, and one runner at a time has it', async (t) => {
  await using installation = await twoServers();
  const { servers, promotions, agent } = installation;
  for (const server of servers) await server.holdAt('deploy.runner.begun');
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, i) =>
      servers[i % 2 === 0 ? 0 : 1].call('deployment.launch', { promotionId: promotions[(i >> 1) % 4]?.id }),
    ),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 99);
  for (const { reason } of refused) assert(refusal('DEPLOY_IN_PROGRESS')(reason), String(reason));

  const heldPhase = await t.waitFor(() => installation.deployment('preflight'), { timeout: 30_000 });
  const known = await Promise.all(
    promotions.map(({ id }) => installation.module.promotions.get(installation.caller('viewer'), { id })),
  );
  assert.deepEqual(
    known.map(({ id, state }) => [id, state]),
    promotions.map(({ id }) => [id, id === heldPhase.promotionId ? 'deploying' : 'approved']),
  );

  assert.equal(await installation.module.runOnce.runner(), 0, 'a job that is leased is nobody else’s');
  await installation.clock.advance(31_000);
  assert.equal(await installation.module.runOnce.runner(), 1, 'a lease that ran out is');
  assert.equal((await installation.deployment('in_progress')).id, heldPhase.id);
  for (const server of servers) await server.release('deploy.runner.begun');

  const assignment = await leased(installation, agent);
  assert.equal(await installation.lease(agent), null, 'the job was handed out once');
  await installation.report(agent, assignment, 1, landedAt(assignment));
  assert.deepEqual(await installation.states(heldPhase.id), [
    'preflight',
    'planning',
    'in_progress',
    'verifying',
    'completed',
  ]);
  const [tasks] = await installation.rows(
    counted,
    sql`/* test */ select count(*)::integer as count from orchestrator.agent_tasks`,
  );
  assert.equal(tasks?.count, 1);
});
