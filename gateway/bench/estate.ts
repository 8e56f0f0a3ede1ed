// Cost of counting an estate of a thousand targets: GET estate/status with a real token over HTTP, asked by one caller
// at a time, and against a bare Fastify route (bare-read.ts) that verifies the same token and sends the same statement.
import pg from 'pg';
import { createReport } from './figure.ts';
import { restBench } from './rest.ts';
import { median, quantile } from './statistics.ts';

const TARGETS = 1_000;
const COMPONENTS = 3;
const AGENTS = 50;
const REQUESTS = 300;
const WARM_UP = 30;

/**
 * Statement that seeds observations: one in twenty deviates and one in fifty is unknown; the agents stay online during
 * the bench.
 */
const SEED = `
with place as (
  select e.tenant, e.id as environment_id, d.id as deployment_id, d.release_id
  from orchestrator.environments as e
  join orchestrator.deployments as d on d.tenant = e.tenant and d.environment_id = e.id
  where e.tenant = 'acme' and d.state = 'completed' order by d.id limit 1
), agent as (
  insert into orchestrator.agents (tenant, id, name, state, software_version, spiffe_id, certificate_serial,
    certificate_not_after, public_key, capabilities, host_facts, last_heartbeat_at, created_by)
  select tenant, gen_random_uuid(), 'bench-' || n, 'active', '1', 'spiffe://bench', 'bench-' || n, now() + interval '1 day',
    'key', '{}', '{}', now() + interval '1 day', 'bench'
  from place, generate_series(0, ${AGENTS - 1}) as n returning id, name
), target as (
  insert into orchestrator.targets
    (tenant, id, environment_id, name, driver, config, secret_refs, agent_id, created_by, updated_by)
  select place.tenant, gen_random_uuid(), environment_id, 'bench-' || n, 'process',
    '{"port": 1, "probePath": "/", "probeTimeoutSeconds": 1, "env": []}', '[]', agent.id, 'bench', 'bench'
  from place, generate_series(1, ${TARGETS}) as n join agent on agent.name = 'bench-' || n % ${AGENTS}
  returning id, agent_id
), component as (
  select target.id as target_id, agent_id, 'component-' || k as name, row_number() over () as nth,
    'sha256:' || repeat('a', 64) as digest
  from target, generate_series(1, ${COMPONENTS}) as k
), approved as (
  insert into orchestrator.approved_components
    (tenant, target_id, component, release_id, deployment_id, digest, accepted)
  select tenant, target_id, name, release_id, deployment_id, digest, array[digest] from place, component
)
insert into orchestrator.observations (tenant, target_id, component, agent_id, running, digest, observed_at, told_at)
select tenant, target_id, name, agent_id, true,
  case when nth % 50 = 0 then null when nth % 20 = 0 then 'sha256:' || repeat('b', 64) else digest end,
  now(), now() + interval '1 day'
from place, component`;

await using bench = await restBench();
const client = new pg.Client({ connectionString: bench.databaseUrl });
await client.connect();
await client.query(SEED);
await client.query('analyze');
await client.end();

const { result, once } = await bench.compare({
  path: '/api/v1/release-orchestrator/estate/status',
  operation: 'estate.status',
  input: {},
});

const durations: number[] = [];
for (let i = 0; i < WARM_UP + REQUESTS; i++) {
  const startedMs = performance.now();
  await once();
  if (i >= WARM_UP) durations.push(performance.now() - startedMs);
}

const { tell } = createReport('estate');
tell('1,000 targets counted over REST, p95', quantile(durations, 0.95), 'ms', { atMost: 50 });
tell('1,000 targets counted over REST, median', median(durations), 'ms');
tell('estate status, of the bare route', result.ratio.perCpuSecond, 'ratio', { atLeast: 0.6 });
tell('estate status, of the bare route, wall clock', result.ratio.perSecond, 'ratio');
tell('estate status', result.ours.perCpuSecond, 'reads per CPU second');
tell('bare route', result.bare.perCpuSecond, 'reads per CPU second');
tell('estate status, wall clock', result.ours.perSecond, 'reads per second');
tell('bare route, wall clock', result.bare.perSecond, 'reads per second');
