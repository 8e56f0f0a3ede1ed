import assert from 'node:assert/strict';
import { freePort } from '@landfall/agent/testing/free-port';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { deployingApp } from '../../testing/deploying-app.ts';
import { serverProcess } from '../../testing/server-processes.ts';

const events = table('kernel.events.said', { state: text });

/** Starts two server processes over one database, with four approved promotions into one environment. */
export const twoServers = async () => {
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
