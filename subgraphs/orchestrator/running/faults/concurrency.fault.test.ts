import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '@landfall/agent/testing/free-port';
import { sql } from '@landfall/kernel/db/sql';
import { integer, table, text } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { deployingApp, landedAt, leased } from '../../testing/deploying-app.ts';
import { serverProcess } from '../../testing/server-processes.ts';

const events = table('kernel.events.said', { state: text });
const counted = table('test.counted', { count: integer });

/** Starts two server processes over one database, with four approved promotions into one environment. */
const twoServers = async () => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await deployingApp());
  const servers = [stack.use(serverProcess()), stack.use(serverProcess())] as const;
  const location = { connection: app.connection, rootKey: app.rootKey.toString('base64') };
  for (const server of servers) await server.serve({ ...location, port: await freePort() });
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  await app.seed.target(environment, agent);
  const promotions = [];
  for (let i = 0; i < 4; i++) promotions.push(await app.seed.approved(await app.seed.ready(), environment));

  const deployment = async (state: string) => {
    const { items } = await app.module.deployments.list(app.caller('viewer'), {});
    const found = items.find((each) => each.state === state);
    assert(found, `no deployment is ${state}`);
    return found;
  };
  const states = async (id: string) =>
    (
      await app.rows(
        events,
        sql`/* test */ select data->>'state' as state from kernel.events
          where entity_id = ${id} and type = 'deployment.advance' order by id`,
      )
    ).map(({ state }) => state);
  const resources = stack.move();
  return {
    ...app,
    servers,
    agent,
    promotions,
    deployment,
    states,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

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
