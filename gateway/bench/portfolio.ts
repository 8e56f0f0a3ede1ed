// Cost of the portfolio: 200 products in 6 environments by one query of the graph, in one process with its modules and
// without HTTP, PostgreSQL included.
import { authorityModule } from '@landfall/authority';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { silentLog } from '@landfall/kernel/system/log';
import { orchestratorModule } from '@landfall/orchestrator';
import { MODULES } from '@landfall/rest-compat/modules';
import pg from 'pg';
import { createGraph } from '../graph/graph.ts';
import { localSource } from '../graph/local-source.ts';
import { createModules } from '../modules/modules.ts';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { writer } from './notes.ts';
import { median, quantile } from './statistics.ts';

const PRODUCTS = 200;
const ENVIRONMENTS = ['dev', 'test', 'staging', 'prod-eu', 'prod-us', 'prod-asia'];
const ASKED = Number(process.env.ASKED ?? 200);
const WARM_UP = 30;

/** The query of the console's page. */
const PORTFOLIO = `{
  portfolio(orderBy: URGENCY, first: 200, skip: 0) {
    productCount
    urgentCount
    ownerGroups
    labels { name value }
    environments { id name }
    rows {
      product { id name ownerGroups }
      cells {
        environmentId semver deploymentId deployedAt states
        unsettled { id semver waitsFor }
        promotion { id releaseId semver state others }
      }
    }
  }
}`;

/** Statement that seeds a landed release of each product on a target in each environment; one in twenty drifts. */
const SEED = `
with product as (
  insert into orchestrator.products (tenant, id, name, owner_groups, labels, created_by, updated_by)
  select 'acme', gen_random_uuid(), 'product-' || lpad(n::text, 3, '0'), array['team-' || n % 10],
    jsonb_build_object('tier', (n % 3)::text), 'bench', 'bench'
  from generate_series(1, ${PRODUCTS}) as n returning id, name
), release as (
  insert into orchestrator.releases (tenant, id, product_id, name, semver, gated_digest_set, finalized_at, status,
    created_by, updated_by)
  select 'acme', gen_random_uuid(), id, name, '1.0.0', 'sha256:' || repeat('a', 64), now(), 'ready', 'bench', 'bench'
  from product returning id, product_id, name
), component as (
  insert into orchestrator.release_components (tenant, release_id, name, repository, digest, depends_on)
  select 'acme', release.id, 'web', 'registry.example/' || name, 'sha256:' || repeat('a', 64), '{}' from release
), place as (
  select e.id as environment_id, e.name as environment, r.*, row_number() over (order by r.name, e.order_index) as nth
  from orchestrator.environments as e, release as r where e.tenant = 'acme'
), agent as (
  insert into orchestrator.agents (tenant, id, name, state, software_version, spiffe_id, certificate_serial,
    certificate_not_after, public_key, capabilities, host_facts, last_heartbeat_at, created_by)
  select 'acme', gen_random_uuid(), 'bench', 'active', '1', 'spiffe://bench', 'bench', now() + interval '1 day', 'key',
    '{}', '{}', now() + interval '1 day', 'bench' returning id
), target as (
  insert into orchestrator.targets (tenant, id, environment_id, product_id, name, driver, config, secret_refs, agent_id,
    created_by, updated_by)
  select 'acme', gen_random_uuid(), environment_id, product_id, name, 'process',
    '{"port": 1, "probePath": "/", "probeTimeoutSeconds": 1, "env": []}', '[]', agent.id, 'bench', 'bench'
  from place, agent returning id, environment_id, product_id
), promotion as (
  insert into orchestrator.promotions (tenant, id, release_id, target_environment_id, state, reason, requested_by,
    approvals_needed, gated_digest_set, updated_by)
  select 'acme', gen_random_uuid(), id, environment_id, 'deployed', 'go', 'bench', 0, 'sha256:' || repeat('a', 64), 'bench'
  from place returning id, release_id, target_environment_id
), newer as (
  insert into orchestrator.releases (tenant, id, product_id, name, semver, gated_digest_set, finalized_at, status,
    created_by, updated_by)
  select 'acme', gen_random_uuid(), id, name, '1.1.0', 'sha256:' || repeat('c', 64), now(), 'ready', 'bench', 'bench'
  from product returning id
), waiting as (
  insert into orchestrator.promotions (tenant, id, release_id, target_environment_id, state, reason, requested_by,
    approvals_needed, gated_digest_set, updated_by)
  select 'acme', gen_random_uuid(), newer.id, e.id, 'pending', 'go', 'bench', 1, 'sha256:' || repeat('c', 64), 'bench'
  from newer, orchestrator.environments as e where e.tenant = 'acme' and e.name = 'prod-eu'
), deployment as (
  insert into orchestrator.deployments (tenant, id, promotion_id, release_id, product_id, environment_id, kind, strategy,
    state, plan, acknowledged, landing, launched_by, started_at, deadline_at, completed_at)
  select 'acme', gen_random_uuid(), p.id, p.release_id, place.product_id, p.target_environment_id, 'deploy',
    'all_at_once', 'completed',
    '{"strategy": "all_at_once", "requestedStrategy": "all_at_once", "targetCount": 1, "phases": [],
      "effectiveBehaviour": "The one target changes over.", "caveats": []}',
    '{}', 'verified', 'bench', now(), now(), now()
  from promotion as p join place on place.id = p.release_id and place.environment_id = p.target_environment_id
  returning id, release_id, product_id, environment_id
), approved as (
  insert into orchestrator.approved_components (tenant, target_id, component, release_id, deployment_id, digest, accepted)
  select 'acme', t.id, 'web', d.release_id, d.id, 'sha256:' || repeat('a', 64), array['sha256:' || repeat('a', 64)]
  from target as t join deployment as d using (product_id, environment_id)
)
insert into orchestrator.observations (tenant, target_id, component, agent_id, running, digest, observed_at, told_at)
select 'acme', t.id, 'web', agent.id, true,
  'sha256:' || repeat(case when row_number() over () % 20 = 0 then 'b' else 'a' end, 64), now(), now() + interval '1 day'
from target as t, agent`;

const fail = (error: unknown): never => {
  throw error;
};

await using host = await benchHost();
const modules = createModules(MODULES, host.deps, host.settings);
const [authority, orchestrator] = [authorityModule.get(modules), orchestratorModule.get(modules)];
await authority.bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme' });
const scopes = new Set(['release:read', 'orch:read', 'orch:operate', 'orch:admin']);
const caller: Caller = { ...writer, tenant: toTenantId('acme'), scopes };
for (const [at, name] of ENVIRONMENTS.entries())
  await orchestrator.environments.create(caller, { name, orderIndex: at * 10, stageKind: 'stage' });
const client = new pg.Client(host.migrating);
await client.connect();
await client.query(SEED);
await client.query('analyze');
await client.end();

const sources = new Map(modules.map((module) => [module.name, localSource(module, fail)]));
const graph = await createGraph({ sources, introspection: false, log: silentLog, onBug: fail });
const headers = { 'content-type': 'application/json' };
const ask = async (): Promise<string> => {
  const body = { query: PORTFOLIO };
  const { status, body: text } = await graph.answer({ method: 'POST', headers, search: '', body, caller });
  if (status !== 200 || text.includes('"errors"')) throw new Error(text.slice(0, 2_000));
  return text;
};

const answer = await ask();
const cells = answer.split('"semver":"1.0.0"').length - 1;
if (cells !== PRODUCTS * ENVIRONMENTS.length) throw new Error(`${cells} cells have a current deployment`);
const took: number[] = [];
let before = process.cpuUsage();
for (let i = 0; i < WARM_UP + ASKED; i++) {
  if (i === WARM_UP) before = process.cpuUsage();
  const begun = performance.now();
  await ask();
  if (i >= WARM_UP) took.push(performance.now() - begun);
}
const { user, system } = process.cpuUsage(before);
await graph.close();

const { tell } = createReport('portfolio');
tell('200 products in 6 environments, p95', quantile(took, 0.95), 'ms', { atMost: 60 });
tell('200 products in 6 environments, median', median(took), 'ms');
tell('processor time of the server', (user + system) / 1_000 / ASKED, 'ms');
tell('answer', answer.length / 1_000, 'kB');
