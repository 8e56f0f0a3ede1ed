// Plans of the product's frequent statements, as PostgreSQL executes them for the running product (auto_explain): with
// the demo's tables grown to tens of thousands of rows and more, under statistics from before the growth, current ones
// and none at all. Each figure is one statement under one state: kinds of scan, and the pages that its most expensive
// execution read.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { EXPLAIN_SETTINGS, readPlan, type StatementPlan } from '@landfall/kernel/testing/plans';
import pg from 'pg';
import { visit } from './bench-client.ts';
import { benchDirectory } from './bench-host.ts';
import { createReport } from './figure.ts';
import { growTables } from './plans-growth.ts';
import { type Credentials, createHome, startProduct } from './product-process.ts';

/** Executions of each statement: PostgreSQL decides on a generic plan after five. */
const TIMES = 12;
/** Time for background statements of agents, event readers and workers, in milliseconds. */
const BACKGROUND_MS = 20_000;
/** Limit of pages that a statement of a request may read; a sequential scan of a grown table reads thousands. */
const MAX_PAGES = 500;

const { tell } = createReport('plans');

const QUESTIONS = ['denial of service', 'CVE-2021-44228', 'why did shop 1.1.0 fail'];

/** Runs every frequent request once. */
const askAll = async (credentials: Credentials, token: string): Promise<void> => {
  const { baseUrl, authUrl, clients, ids } = credentials;
  const client = clients.find(({ name }) => name === 'operator');
  if (!client) throw new Error('the demo has no client operator');
  const basic = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`;
  const form = (path: string, values: Record<string, string>) =>
    fetch(`${authUrl}${path}`, {
      method: 'POST',
      headers: { authorization: basic },
      body: new URLSearchParams(values),
    });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reads = [
    'releases?limit=50',
    `releases/${ids.releaseId}`,
    'deployments?limit=50',
    `deployments/${ids.deploymentId}`,
    'promotions?limit=50',
    'estate/status',
    'estate/drift',
  ];
  const graph = ['releases', 'deployments', 'promotions'].map(
    (list) => `{ ${list}(first: 20) { edges { node { id } } } }`,
  );
  const answers = [
    await form('/token', { grant_type: 'client_credentials' }),
    await form('/introspect', { token }),
    ...(await Promise.all(reads.map((path) => fetch(`${baseUrl}/api/v1/release-orchestrator/${path}`, { headers })))),
    ...(await Promise.all(
      QUESTIONS.map((q) =>
        fetch(`${baseUrl}/v1/search/query`, { method: 'POST', headers, body: JSON.stringify({ q }) }),
      ),
    )),
    ...(await Promise.all(
      graph.map((query) => fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })),
    )),
  ];
  for (const answer of answers) {
    const text = await answer.text();
    if (answer.status >= 400 || text.startsWith('{"errors"'))
      process.stderr.write(`plans: ${answer.url} answered ${answer.status}: ${text.slice(0, 200)}\n`);
  }
};

/** Reads the plans that the server logged after a position. */
const plansSince = async (log: string, from: number): Promise<StatementPlan[]> => {
  const text = (await readFile(log)).subarray(from).toString();
  return text.split(/^(?=\d{4}-\d\d-\d\d )/m).flatMap((entry) => readPlan(entry) ?? []);
};

const reportPlans = (plans: readonly StatementPlan[], state: string): void => {
  const byName = [...Map.groupBy(plans, ({ name }) => name)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, all] of byName) {
    const mostExpensive = all.reduce((one, other) => (other.buffers > one.buffers ? other : one));
    const scans = [...new Set(all.map((plan) => plan.scans.join(' + ') || 'no table'))].join(' | ');
    tell(`${name}, ${state} statistics: ${scans}`, mostExpensive.buffers, 'pages', { atMost: MAX_PAGES });
  }
};

await using stack = new AsyncDisposableStack();
const directory = stack.use(await benchDirectory());
const dataDirectory = join(directory.path, 'database');
await mkdir(dataDirectory);
const postgres = await startPostgres({
  dataDir: dataDirectory,
  settings: { session_preload_libraries: 'auto_explain', autovacuum: 'off' },
});
stack.defer(() => postgres.stop());
const databaseUrl = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(postgres.connection.host)}`;
const home = await createHome(directory.path);
const product = stack.use(await startProduct({ ...home, env: { ...home.env, DATABASE_URL: databaseUrl } }));
const credentials = await product.waitForCredentials();
const { token, leave } = await visit(credentials);
await leave();

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
stack.defer(() => client.end());
await client.query('analyze');
for (const line of await growTables(client)) process.stderr.write(`plans: not grown: ${line}\n`);

const log = join(postgres.place, 'postgres.log');
const explain = async (settings: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(settings)) await client.query(`alter system set ${name} = '${value}'`);
  await client.query('select pg_reload_conf()');
  await pause(500);
};
/** Runs every request under one state of the statistics. A change of statistics invalidates every prepared plan. */
const look = async (state: string): Promise<void> => {
  const from = (await readFile(log)).length;
  await explain(EXPLAIN_SETTINGS);
  for (let time = 0; time < TIMES; time++) await askAll(credentials, token);
  await pause(BACKGROUND_MS);
  await explain({ 'auto_explain.log_min_duration': '-1' });
  reportPlans(await plansSince(log, from), state);
};

await look('stale');
await client.query('analyze');
await look('fresh');
await client.query(`select pg_clear_relation_stats(n.nspname, c.relname),
    (select count(pg_clear_attribute_stats(n.nspname, c.relname, a.attname, false))
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'i') and n.nspname in ('kernel', 'authority', 'registry', 'orchestrator', 'search', 'tlog')`);
await look('no');
