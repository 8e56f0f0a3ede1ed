// Notifications from accepted events to settled deliveries, through two hundred rules, rendering, signatures and a receiver
// on loopback, every row durable; beside a bare table of leases that writes the same rows for a delivery with `pg`.
import { randomIds, toId, toTenantId } from '@landfall/kernel/core/ids';
import { caller } from '@landfall/kernel/testing/callers';
import { notifierModule } from '@landfall/notifier';
import { insertEvents } from '@landfall/notifier/testing/parts';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { type BenchHost, benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { startPeer } from './peer-process.ts';
import { cpuOf, treeOf } from './processes.ts';
import { median } from './statistics.ts';

const TENANTS = ['acme', 'globex'].map(toTenantId);
const CHANNELS = 10;
const RULES = 200;
/** Deliveries of a round. */
const DELIVERIES = 4_000;
const ROUNDS = 5;
/** Jobs that the bare table leases at a time, as many as a process of the product sends at once. */
const LEASE = 128;

/** Processor time of this process and PostgreSQL, in milliseconds; the receiver is a process of its own and left out. */
const cpuMs = async (sinkPid: number): Promise<number> => {
  const pids = (await treeOf(process.pid)).map(({ pid }) => pid).filter((pid) => pid !== sinkPid);
  return (await Promise.all(pids.map(cpuOf))).reduce((sum, time) => sum + time, 0);
};

const openNotifier = async ({ deps, settings }: BenchHost, origin: string) => {
  const [module] = createModules([notifierModule], deps, settings);
  if (!module) throw new Error('there is no notifier');
  const notifier = notifierModule.get([module]);
  for (const tenant of TENANTS) {
    const admin = caller({ tenant, subject: 'bench', scopes: ['notify.admin'] });
    const channels: string[] = [];
    for (let at = 0; at < CHANNELS; at++) {
      const config = { url: `${origin}/${tenant}/${at}` };
      const { channel } = await notifier.channels.create(admin, { name: `channel ${at}`, webhook: { config } });
      channels.push(channel.id);
    }
    for (let at = 0; at < RULES; at++)
      await notifier.rules.create(admin, {
        name: `rule ${at}`,
        priority: at,
        continues: false,
        matchers: [
          { path: 'kind', op: 'prefix', values: ['bench.'] },
          { path: 'attributes.number', op: 'eq', values: [String(at)] },
        ],
        actions: [{ channelId: channels[at % CHANNELS], templateKey: 'generic' }],
      });
  }
  return notifier;
};

type Notifier = Awaited<ReturnType<typeof openNotifier>>;

/** Accepts the events of a round, each of which one rule matches. */
const accept = ({ deps }: BenchHost): Promise<unknown> =>
  deps.database.system.write((tx) =>
    insertEvents(
      tx,
      Array.from({ length: DELIVERIES }, (_, at) => ({
        tenant: TENANTS[at % TENANTS.length] ?? toTenantId('acme'),
        id: toId(randomIds.uuid(), 'NotificationEvent'),
        producer: 'risk',
        eventId: randomIds.uuid(),
        kind: 'bench.happened',
        at: new Date(),
        actor: 'somebody',
        severity: 'warning' as const,
        status: 'firing' as const,
        attributes: { number: String(at % RULES), environment: 'production' },
        payload: { score: at },
        correlationId: randomIds.uuid(),
      })),
    ),
  );

/** Routes and sends until nothing is left. @returns the number of deliveries */
const work = async ({ route, dispatch }: Notifier): Promise<number> => {
  const { signal } = new AbortController();
  let sent = 0;
  let isRouting = true;
  const routing = (async () => {
    while ((await route()) > 0);
    isRouting = false;
  })();
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const isBusy = isRouting || underWay.size > 0;
    const begun = await dispatch.begin(signal);
    sent += begun.length;
    for (const each of begun) {
      const ended: Promise<void> = each.finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    if (begun.length > 0) continue;
    if (underWay.size > 0) await Promise.race(underWay);
    else if (isBusy) await new Promise((resolve) => setImmediate(resolve));
    else break;
  }
  await routing;
  return sent;
};

const JOBS = `create table bench.jobs (tenant text not null, id uuid not null, body text not null, state text not null,
  attempts integer not null default 0, due_at timestamptz, primary key (tenant, id));
create index jobs_due on bench.jobs (tenant, due_at, id) where due_at is not null;
create table bench.attempts (tenant text not null, id uuid not null, number integer not null, at timestamptz not null,
  primary key (tenant, id, number))`;

const LEASE_JOBS = `with due as (select tenant, id from bench.jobs where due_at <= now() order by due_at limit $1
    for update skip locked)
  update bench.jobs j set state = 'leased', attempts = attempts + 1, due_at = now() + interval '90 seconds' from due
  where j.tenant = due.tenant and j.id = due.id returning j.tenant, j.id, j.attempts, j.body`;

const SETTLE_JOBS = `with given as (select * from unnest($1::text[], $2::uuid[], $3::integer[]) as given (tenant, id, attempts)),
  moved as (update bench.jobs j set state = 'delivered', due_at = null from given
    where j.tenant = given.tenant and j.id = given.id and j.attempts = given.attempts returning j.tenant, j.id)
  insert into bench.attempts (tenant, id, number, at) select tenant, id, given.attempts, now() from moved join given using (tenant, id)`;

/** The same number of jobs through a bare table: inserted, leased and settled in batches on one connection. */
const workBare = async (client: pg.Client): Promise<void> => {
  const ids = Array.from({ length: DELIVERIES }, () => randomIds.uuid());
  const body = 'x'.repeat(300);
  await client.query({
    name: 'insert',
    text: `insert into bench.jobs (tenant, id, body, state, due_at) select 'acme', id, $2, 'pending', now() from unnest($1::uuid[]) as id`,
    values: [ids, body],
  });
  for (;;) {
    const { rows } = await client.query({ name: 'lease', text: LEASE_JOBS, values: [LEASE] });
    if (rows.length === 0) return;
    const values = [rows.map((row) => row.tenant), rows.map((row) => row.id), rows.map((row) => row.attempts)];
    await client.query({ name: 'settle', text: SETTLE_JOBS, values });
  }
};

await using host = await benchHost();
await using sink = await startPeer('notifier-sink.ts', {});
const notifier = await openNotifier(host, sink.origin);
const client = new pg.Client(host.migrating);
client.on('error', () => undefined); // the statement under way reports it
await client.connect();
await client.query(JOBS);

const rates: number[] = [];
const bareRates: number[] = [];
const costs: number[] = [];
// The first round warms up.
for (let round = 0; round <= ROUNDS; round++) {
  await accept(host);
  const [cpuBefore, started] = [await cpuMs(sink.pid), performance.now()];
  const sent = await work(notifier);
  const seconds = (performance.now() - started) / 1_000;
  if (sent !== DELIVERIES) throw new Error(`${sent} of ${DELIVERIES} were sent`);
  const cost = ((await cpuMs(sink.pid)) - cpuBefore) / DELIVERIES;
  const bareStarted = performance.now();
  await workBare(client);
  const bareSeconds = (performance.now() - bareStarted) / 1_000;
  if (round === 0) continue;
  rates.push(DELIVERIES / seconds);
  bareRates.push(DELIVERIES / bareSeconds);
  costs.push(cost);
}
await client.end();

const { tell } = createReport('notifier');
tell('deliveries, 200 rules', median(rates), 'deliveries/s');
tell('bare table of leases', median(bareRates), 'jobs/s');
tell('deliveries of the bare table', median(rates.map((rate, at) => rate / (bareRates[at] ?? rate))), 'ratio', {
  atLeast: 0.5,
});
tell('processor time of a delivery', median(costs), 'CPU-ms', { atMost: 0.3 });
