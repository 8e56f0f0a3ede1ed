// The notifier with a history of a million deliveries, and beside a tenant whose receiver never answers.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { randomIds, toId, toTenantId } from '@landfall/kernel/core/ids';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { notifierModule } from '@landfall/notifier';
import { insertEvents } from '@landfall/notifier/testing/parts';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { quantile } from './statistics.ts';

const HISTORY = 1_000_000;
const EXPLANATIONS = 200;
/** Events of a round of the tenant that is measured, and the pause between two. */
const EVENTS = 1_000;
const EVERY_MS = 10;
/** Events of the tenant whose receiver never answers. */
const BACKLOG = 2_000;

const FAST = toTenantId('acme');
const SLOW = toTenantId('globex');

await using host = await benchHost();
const { deps } = host;
const [module] = createModules([notifierModule], deps, host.settings);
if (!module) throw new Error('there is no notifier');
const notifier = notifierModule.get([module]);

const receiver = createServer((request, response) => {
  if (request.url !== '/slow') request.resume().on('end', () => response.writeHead(204).end());
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const address = receiver.address();
const origin = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';

/** Creates a webhook of a tenant with the rule that leads the events of the bench to it. */
const subscribe = async (tenant: typeof FAST, path: string) => {
  const admin = caller({ tenant, subject: 'bench', scopes: ['notify.admin', 'notify.operator'] });
  const config = { url: `${origin}${path}` };
  const { channel } = await notifier.channels.create(admin, { name: path, webhook: { config } });
  const rule = await notifier.rules.create(admin, {
    name: path,
    priority: 1,
    matchers: [{ path: 'kind', op: 'eq', values: ['risk.happened'] }],
    actions: [{ channelId: channel.id, templateKey: 'generic' }],
  });
  return { admin, channel, rule };
};

const client = new pg.Client(host.migrating);
client.on('error', () => undefined); // the statement under way reports it
await client.connect();

const accept = (tenant: typeof FAST, count: number): Promise<unknown> =>
  deps.database.system.write((tx) =>
    insertEvents(
      tx,
      Array.from({ length: count }, () => ({
        tenant,
        id: toId(randomIds.uuid(), 'NotificationEvent'),
        producer: 'risk',
        eventId: randomIds.uuid(),
        kind: 'risk.happened',
        at: new Date(),
        actor: null,
        severity: 'info' as const,
        status: 'firing' as const,
        attributes: {},
        payload: {},
        correlationId: randomIds.uuid(),
      })),
    ),
  );

const { tell } = createReport('notifier');
const fast = await subscribe(FAST, '/fast');
const slow = await subscribe(SLOW, '/slow');

/** Milliseconds from the acceptance of each event of a round to its delivery. */
const round = async (): Promise<number[]> => {
  const { rows } = await client.query('select pg_catalog.now() as now');
  for (let at = 0; at < EVENTS; at++) {
    await notifier.ingest(fast.admin, {
      producer: 'risk',
      eventId: randomIds.uuid(),
      kind: 'risk.happened',
      tenant: FAST,
      ts: new Date().toISOString(),
      payload: {},
    });
    await pause(EVERY_MS);
  }
  const read = async () => {
    const result = await client.query(
      `select extract(epoch from d.completed_at - e.received_at) * 1000 as ms from notify.deliveries d
       join notify.events e on e.tenant = d.tenant and e.id = d.event_id
       where d.tenant = $1 and d.state = 'delivered' and e.received_at >= $2`,
      [FAST, rows[0].now],
    );
    return result.rows.length === EVENTS && result.rows.map(({ ms }) => Number(ms));
  };
  return until(read, { everyMs: 200 });
};

{
  await using stack = new AsyncDisposableStack();
  for (const worker of notifier.workers) stack.use(worker.start());
  await round();
  const alone = quantile(await round(), 0.99);
  await accept(SLOW, BACKLOG);
  await until(async () => {
    const { rows } = await client.query('select count(*)::int as count from notify.events where routed_at is null');
    return rows[0].count === 0;
  });
  const beside = quantile(await round(), 0.99);
  tell('delivery, p99', alone, 'ms');
  tell('delivery beside a receiver that never answers, p99', beside, 'ms');
  tell('slower beside a receiver that never answers', Math.max(0, (beside / alone - 1) * 100), '%', { atMost: 10 });
  await notifier.channels.setEnabled(slow.admin, { id: slow.channel.id, isEnabled: false, reason: 'bench' });
}

await client.query(
  `insert into notify.events (tenant, id, producer, event_id, kind, at, severity, status, correlation_id, routed_at, rule_set_version)
   select $1, uuidv7(), 'risk', 'past ' || n, 'risk.happened', now(), 'info', 'firing', 'bench', now(), 1
   from generate_series(1, ${HISTORY}) as n`,
  [FAST],
);
await client.query(
  `insert into notify.deliveries (tenant, id, event_id, rule_id, action_index, channel_id, template_key, reason, state, attempts,
     body, content_type, correlation_id, completed_at)
   select tenant, uuidv7(), id, $2, 0, $3, 'generic', 'first', 'delivered', 1, repeat('x', 300), 'application/json', 'bench', now()
   from notify.events where tenant = $1 and event_id like 'past %'`,
  [FAST, fast.rule.id, fast.channel.id],
);
await client.query('analyze notify.events, notify.deliveries');
const { rows: drawn } = await client.query(
  `select id from notify.events where tenant = $1 and event_id like 'past %' order by md5(id::text) limit ${EXPLANATIONS}`,
  [FAST],
);
const explained: number[] = [];
for (const { id } of drawn) {
  const started = performance.now();
  const { deliveries } = await notifier.explanation.explain(fast.admin, { id });
  explained.push(performance.now() - started);
  if (deliveries.length !== 1) throw new Error(`${deliveries.length} deliveries of an event`);
}
tell('explanation of an event among a million deliveries, p95', quantile(explained, 0.95), 'ms', { atMost: 200 });

await accept(FAST, 1);
await notifier.route();
const leased = performance.now();
const begun = await notifier.dispatch.begin(new AbortController().signal);
tell('lease with a million deliveries behind it', performance.now() - leased, 'ms');
await Promise.all(begun);
await client.end();
receiver.closeAllConnections();
receiver.close();
