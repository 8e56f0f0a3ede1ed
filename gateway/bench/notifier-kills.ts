// The product under load while its process and PostgreSQL are killed in turns: what was accepted and never delivered, and
// what was delivered more than once.
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { startTestCluster } from '@landfall/kernel/testing/cluster';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { until } from '@landfall/kernel/testing/until';
import { AT_ONCE } from '@landfall/notifier/testing/parts';
import { startSink } from '@landfall/notifier/testing/sink';
import { bearer } from '../testing/people.ts';
import { startProcess } from '../testing/processes.ts';
import { letTimePass, startProduct } from '../testing/start.ts';
import { createReport } from './figure.ts';
import { treeOf } from './processes.ts';

const KILLS = 100;
const PRODUCERS = 8;
const TENANT = 'kills';

await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'landfall-kills-'));
stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
await chmod(directory, 0o755);
const dataDir = join(directory, 'postgres');
// The test cluster's settings are not durable: it only creates the database.
await (await startTestCluster(dataDir)).stop();
let postgres = await startPostgres({ dataDir });
stack.defer(() => postgres.stop());
const database = stack.use(await testDatabase(postgres.connection.host));
await letTimePass(database.connection);
const product = stack.use(
  await startProduct('all-in-one', { DATABASE_URL: database.url, LANDFALL_EGRESS_PRIVATE: '127.0.0.0/8' }),
);
let server = product.processes[0];
if (!server) throw new Error('there is no process');
stack.defer(async () => void (await server?.[Symbol.asyncDispose]()));
const { headers } = await bearer(product, TENANT, ['notify.admin', 'notify.operator']);
const sink = stack.use(await startSink());

const post = (path: string, body: object): Promise<Response | undefined> =>
  fetch(product.baseUrl + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined);

const graph = async (query: string, variables: object) => {
  const answer = await post('/graphql', { query, variables });
  const { data, errors } = JSON.parse((await answer?.text()) ?? '{}');
  if (errors || !data) throw new Error(JSON.stringify(errors));
  return data;
};

const { created } = await graph(
  `mutation ($url: String!) {
    created: createNotificationChannel(input: { name: "sink", webhook: { config: { url: $url } } }) { channel { id } }
  }`,
  { url: sink.url },
);
await graph(
  `mutation ($channel: ID!) {
    createNotificationRule(input: { name: "all", priority: 1, matchers: [{ path: "producer", op: EQ, values: ["risk"] }]
      actions: [{ channelId: $channel, templateKey: "generic" }] }) { id }
  }`,
  { channel: created.channel.id },
);

const killServer = async (): Promise<void> => {
  if (!server) return;
  const exited = once(server.child, 'exit');
  server.child.kill('SIGKILL');
  await exited;
  server = await startProcess(['--no-demo'], product.env, product.baseUrl);
};

const killPostgres = async (): Promise<void> => {
  const pid = Number((await readFile(join(postgres.place, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  // The server itself first, so that it does not restart its own.
  for (const each of await treeOf(pid))
    try {
      process.kill(each.pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  await postgres.stop().catch(() => undefined);
  postgres = await startPostgres({ dataDir });
};

const accepted = new Set<string>();
let isEnding = false;
let events = 0;
const produce = async (): Promise<void> => {
  while (!isEnding) {
    events += 1;
    const eventId = `event-${events}`;
    // Sent until it is accepted, as a producer does that outlives the product.
    for (;;) {
      const body = { eventId, kind: 'risk.happened', tenant: TENANT, ts: new Date().toISOString(), payload: {} };
      const answer = await post('/api/v1/events/risk', body);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 202) break;
      await pause(50);
    }
    accepted.add(eventId);
    await pause(5);
  }
};

process.once('unhandledRejection', (error) => {
  console.error(error);
  process.exit(1);
});
const producing = Array.from({ length: PRODUCERS }, produce);
for (let kill = 0; kill < KILLS; kill++) {
  const before = sink.received.length;
  // Something is under way when the kill comes.
  await until(() => sink.received.length >= before + PRODUCERS, { everyMs: 5 });
  await (kill % 2 === 0 ? killServer() : killPostgres());
}
isEnding = true;
await Promise.all(producing);

const delivered = () => Map.groupBy(sink.received, ({ body }) => String(JSON.parse(body).data.event.eventId));
const isComplete = (): boolean => {
  const known = delivered();
  return [...accepted].every((eventId) => known.has(eventId));
};
await until(isComplete, { everyMs: 1_000 }).catch(() => undefined);

const byEvent = delivered();
const lost = [...accepted].filter((eventId) => !byEvent.has(eventId)).length;
const ids = [...byEvent.values()].map((all) => new Set(all.map((request) => request.headers['webhook-id'])).size);
const { tell } = createReport('notifier-kills');
tell('kills of the process and of PostgreSQL', KILLS, 'kills');
tell('events accepted', accepted.size, 'events');
tell('events lost', lost, 'events', { atMost: 0 });
tell('repetitions for each kill', (sink.received.length - byEvent.size) / KILLS, 'deliveries', {
  atMost: AT_ONCE.channel,
});
tell('deliveries under more than one webhook-id', ids.filter((count) => count > 1).length, 'events', { atMost: 0 });
