import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds, toId } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { isRetryable } from '@landfall/kernel/db/errors';
import { createHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Deps } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import { openEgress } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import { caller, people } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { startUpgrade, type Upgrade } from '@landfall/kernel/testing/upgrade';
import fc from 'fast-check';
import { graphql } from 'graphql';
import pg from 'pg';
import { defaultParams } from '../catalogue/environments/strategy-params.ts';
import { createOrchestrator } from '../index.ts';
import { isAssignment, landedAt } from '../testing/deploying-app.ts';
import { plan as planOf } from './plan/planner.ts';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));
const kernel = fileURLToPath(new URL('../../kernel/migrations', import.meta.url));

const TENANTS = 10;
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));
const NAMES = ['shop', 'pay', 'stock'] as const;
const ENVIRONMENTS = [10, 20, 30] as const;
const TARGETS_EACH = 2;

const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' });
const digestOf = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;
const other = `sha256:${'f'.repeat(64)}`;

const plan = JSON.stringify(
  planOf({ strategy: 'all_at_once', targetCount: TARGETS_EACH, params: defaultParams, hasTraffic: true }),
);
const anatomy = JSON.stringify({
  stage: 'health-probe',
  category: 'HealthCheckFailed',
  reason: 'probe-failed',
  plainReason: 'It failed.',
  detail: 'HTTP 500',
  action: 'Mend it.',
  actionPath: null,
  retryable: false,
});

type Landing = 'verified' | 'unverified';

/** Deployment of the version before: of any release name, to an environment that all of them share. */
interface Past {
  readonly name: (typeof NAMES)[number];
  readonly version: number;
  readonly place: number;
  readonly ends: Landing | 'failed' | 'pending';
}

const past: fc.Arbitrary<Past> = fc.record({
  name: fc.constantFrom(...NAMES),
  version: fc.nat(2),
  place: fc.nat(ENVIRONMENTS.length - 1),
  ends: fc.constantFrom('verified', 'verified', 'verified', 'unverified', 'failed', 'pending'),
});

/** Observations of each target: what landed, something else, or nothing. */
const observationRows = fc.array(fc.constantFrom('approved', 'approved', 'foreign', 'unknown', 'nothing'), {
  minLength: ENVIRONMENTS.length * TARGETS_EACH,
  maxLength: ENVIRONMENTS.length * TARGETS_EACH,
});

const histories = fc.record({ deployments: fc.array(past, { minLength: 3, maxLength: 24 }), sights: observationRows });

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

const literal = (value: string | number | boolean | null): string => (value === null ? 'null' : `'${value}'`);

const insert = (name: string, row: Readonly<Record<string, string | number | boolean | null>>): string =>
  `insert into orchestrator.${name} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')})`;

/** Numbers ids, so that later rows have greater ones. */
const createIds = (nth: number) => {
  let count = 0;
  return (): string => {
    count += 1;
    return `00000000-0000-7000-8${String(nth).padStart(3, '0')}-${String(count).padStart(12, '0')}`;
  };
};

const by = { created_by: 'o', updated_by: 'o' };

const componentsOf = (name: string): readonly string[] => (name === 'pay' ? ['web', 'api'] : ['web']);

interface OldRelease {
  readonly id: string;
  readonly name: string;
  readonly digests: ReadonlyMap<string, string>;
  readonly landed: Set<number>;
  /** Environments with an open promotion. */
  readonly open: Set<number>;
}

interface OldTarget {
  readonly id: string;
  readonly place: number;
  carries: { readonly release: OldRelease; readonly deployment: string } | undefined;
}

/** Tenant of the version before, with the statements that write it. */
const createTenant = (nth: number) => {
  const tenant = `tenant-${nth}`;
  const id = createIds(nth);
  const statements: string[] = [];
  const add = (name: string, row: Parameters<typeof insert>[1]): void => {
    statements.push(insert(name, { tenant, ...row }));
  };
  const agent = id();
  add('agents', {
    id: agent,
    name: 'one',
    state: 'active',
    software_version: '1',
    spiffe_id: 's',
    certificate_serial: '1',
    certificate_not_after: '2100-01-01',
    public_key: String(publicKey),
    capabilities: '{"process": "1"}',
    host_facts: '{"platform": "linux/amd64"}',
    // The agent stays online, however long the test takes.
    last_heartbeat_at: '2100-01-01',
    created_by: 'o',
  });
  const environments = ENVIRONMENTS.map((orderIndex) => {
    const environment = { id: id(), orderIndex };
    add('environments', {
      id: environment.id,
      name: `environment ${orderIndex}`,
      order_index: orderIndex,
      stage_kind: 'stage',
      required_approvals: 0,
      separation_of_duties: 'off',
      required_evidence: '[]',
      default_strategy: 'all_at_once',
      deploy_timeout_seconds: 600,
      ...by,
    });
    return environment;
  });
  const targets = environments.flatMap((environment, place) =>
    Array.from({ length: TARGETS_EACH }, (_, index): OldTarget => {
      const target = { id: id(), place, carries: undefined };
      add('targets', {
        id: target.id,
        environment_id: environment.id,
        name: `target ${index}`,
        driver: 'process',
        config: '{"port": 8080, "probePath": "/", "probeTimeoutSeconds": 5, "env": []}',
        secret_refs: '[]',
        agent_id: agent,
        ...by,
      });
      return target;
    }),
  );
  return { tenant, id, statements, add, agent, environments, targets, releases: new Map<string, OldRelease>() };
};

type OldTenant = ReturnType<typeof createTenant>;

const slotOf = ({ environments }: OldTenant, index: number): string => environments[index]?.id ?? '';

/** Finds the release of a name and version, or adds it. */
const releaseOf = ({ id, add, releases }: OldTenant, { name, version }: Pick<Past, 'name' | 'version'>): OldRelease => {
  const known = releases.get(`${name} ${version}`);
  if (known) return known;
  const digests = new Map(componentsOf(name).map((component, index) => [component, digestOf(version * 10 + index)]));
  const release = { id: id(), name, digests, landed: new Set<number>(), open: new Set<number>() };
  add('releases', {
    id: release.id,
    name,
    semver: `${version}.0.0`,
    gated_digest_set: digestOf(1_000 + version),
    finalized_by: 'o',
    finalized_at: '2026-01-01',
    status: 'ready',
    ...by,
  });
  for (const [component, digest] of digests)
    add('release_components', {
      release_id: release.id,
      name: component,
      repository: 'registry.example/shop/web',
      requested_tag: '1',
      digest,
      media_type: 'application/vnd.oci.image.manifest.v1+json',
      depends_on: '{}',
    });
  releases.set(`${name} ${version}`, release);
  return release;
};

const addPromotion = (tenant: OldTenant, release: OldRelease, index: number, state: string): string => {
  const promotion = tenant.id();
  tenant.add('promotions', {
    id: promotion,
    release_id: release.id,
    target_environment_id: slotOf(tenant, index),
    state,
    reason: 'go',
    requested_by: 'o',
    approvals_needed: 0,
    gated_digest_set: digestOf(1_000),
    updated_by: 'o',
  });
  return promotion;
};

/** States of a deployment and its targets, by how the deployment ends. */
const ENDS = {
  verified: { state: 'completed', target: 'succeeded', landing: 'verified', anatomy: null },
  unverified: { state: 'completed', target: 'succeeded', landing: 'unverified', anatomy: null },
  failed: { state: 'failed', target: 'failed', landing: null, anatomy },
  running: { state: 'in_progress', target: 'pending', landing: null, anatomy: null },
} as const;

interface OldDeployment {
  readonly release: OldRelease;
  readonly place: number;
  readonly promotion: string;
  readonly ends: keyof typeof ENDS;
}

const addDeployment = (tenant: OldTenant, { release, place: location, promotion, ends }: OldDeployment): string => {
  const deployment = tenant.id();
  const { state, target: targetState, landing, anatomy: cause } = ENDS[ends];
  // One deployment a second, in the order of their ids.
  const created = new Date(Date.UTC(2026, 0, 1, 0, 0, Number(deployment.slice(-4)))).toISOString();
  tenant.add('deployments', {
    id: deployment,
    promotion_id: promotion,
    release_id: release.id,
    environment_id: slotOf(tenant, location),
    kind: 'deploy',
    strategy: 'all_at_once',
    state,
    plan,
    acknowledged: '{}',
    launched_by: 'o',
    created_at: created,
    started_at: created,
    deadline_at: '2100-01-01',
    anatomy: cause,
    landing,
    completed_at: state === 'in_progress' ? null : created,
  });
  for (const target of tenant.targets.filter((each) => each.place === location)) {
    tenant.add('deployment_targets', {
      deployment_id: deployment,
      target_id: target.id,
      name: 'target',
      phase_index: 0,
      state: targetState,
      anatomy: cause,
    });
    if (state === 'completed') target.carries = { release, deployment };
  }
  return deployment;
};

/** Deploys as the previous version did: what landed replaces any earlier release. */
const deploy = (tenant: OldTenant, each: Past): void => {
  const { place: location, ends } = each;
  const release = releaseOf(tenant, each);
  if (release.open.has(location)) return;
  if (ends === 'pending') {
    addPromotion(tenant, release, location, 'pending');
    release.open.add(location);
    return;
  }
  const isFailed = ends === 'failed';
  if (!isFailed)
    tenant.statements.push(
      `update orchestrator.promotions set state = 'superseded' where tenant = '${tenant.tenant}'
         and state = 'deployed' and target_environment_id = '${slotOf(tenant, location)}'`,
    );
  const promotion = addPromotion(tenant, release, location, isFailed ? 'failed' : 'deployed');
  addDeployment(tenant, { release, place: location, promotion, ends });
  if (ends === 'verified') release.landed.add(location);
};

/** Adds what landed on a target, and what its agent sees there. */
const addObservation = ({ add, agent }: OldTenant, { id, carries }: OldTarget, observation: string): void => {
  for (const [component, digest] of carries?.release.digests ?? []) {
    add('approved_components', {
      target_id: id,
      component,
      release_id: carries?.release.id ?? null,
      deployment_id: carries?.deployment ?? null,
      digest,
      accepted: `{${digest}}`,
    });
    if (observation === 'nothing') continue;
    const observed = { approved: digest, foreign: other }[observation] ?? null;
    add('observations', {
      target_id: id,
      component,
      agent_id: agent,
      running: true,
      digest: observed,
      reason: observed === null ? 'nobody can tell' : null,
      observed_at: '2026-01-01',
      told_at: '2100-01-01',
    });
  }
};

const writeTenant = (nth: number, { deployments, sights: observations }: History): OldTenant => {
  const tenant = createTenant(nth);
  for (const each of deployments) deploy(tenant, each);
  for (const [at, target] of tenant.targets.entries()) addObservation(tenant, target, observations[at] ?? 'nothing');
  return tenant;
};

/** Estate of the version before: every component with its state. */
const oldEstate = `
  select t.environment_id, a.target_id, a.component, orchestrator.estate_state(
      o.agent_id = t.agent_id, o.running, o.digest, a.accepted) as state
  from orchestrator.approved_components as a
  left join orchestrator.observations as o using (tenant, target_id, component)
  join orchestrator.targets as t on t.tenant = a.tenant and t.id = a.target_id
  where a.tenant = $tenant`;

/** Newest deployment of each environment that completed, whatever its release is called. */
const oldCurrent = `
  select distinct on (environment_id) * from orchestrator.deployments
  where tenant = $tenant and state = 'completed' order by environment_id, created_at desc, id desc`;

/** Answers of the version before, in its own SQL. */
const OLD = {
  releases: `select id, name, semver, status from orchestrator.releases where tenant = $tenant order by id desc`,
  promotions: `select id, state, approvals_needed as "approvalsNeeded" from orchestrator.promotions
    where tenant = $tenant order by id desc`,
  deployments: `select id, release_id as "releaseId", state, landing from orchestrator.deployments
    where tenant = $tenant order by id desc`,
  estate: `select target_id as "targetId", component, state from (${oldEstate}) as c order by 1, 2`,
  current: `select environment_id as "environmentId", id from (${oldCurrent}) as c order by 1`,
  matrix: `
    with here as (
      select environment_id, component, case when bool_or(state = 'drift') then 'drift'
        when bool_or(state = 'unobserved') then 'unobserved' else 'in_sync' end as state
      from (${oldEstate}) as c group by environment_id, component
    ), landed as (
      select d.environment_id, c.name as component, d.id as deployment, c.digest from (${oldCurrent}) as d
      join orchestrator.release_components as c on c.tenant = d.tenant and c.release_id = d.release_id
    )
    select environment_id as "environmentId", component, deployment, digest, state
    from landed full join here using (environment_id, component) order by 1, 2`,
} as const;

type Answers = Readonly<Record<keyof typeof OLD, readonly object[]>>;

const askOld = async (upgrade: Upgrade, { tenant }: OldTenant): Promise<Answers> => {
  const ask = (name: keyof typeof OLD) => upgrade.force(OLD[name].replaceAll('$tenant', `'${tenant}'`));
  return {
    releases: await ask('releases'),
    promotions: await ask('promotions'),
    deployments: await ask('deployments'),
    estate: await ask('estate'),
    current: await ask('current'),
    matrix: await ask('matrix'),
  };
};

/** Starts the orchestrator of this version over a database. */
const serve = (connection: Upgrade['connection']) => {
  const hints = createHints(connection);
  const database = createDatabase({ connection, onEvents: hints.publish });
  const secrets = createSecrets([randomBytes(32)]);
  const http = createHttpClient({ egress: openEgress });
  const deps: Deps = {
    database,
    hints,
    secrets,
    log: silentLog,
    http,
    egress: openEgress,
    clock: systemClock,
    ids: randomIds,
    operation: createOperations(database, secrets),
  };
  const module = createOrchestrator(deps, {
    platformDomain: 'landfall.example',
    agentUrl: 'https://127.0.0.1:4002',
    deploymentLogDays: 30,
    signingKeys: createSigningKeys(deps),
  });
  return {
    module,
    async [Symbol.asyncDispose]() {
      await http.close();
      await hints.close();
      await database.close();
    },
  };
};

type Served = ReturnType<typeof serve>;

const callerIn = (tenant: string, person: 'operator' | 'viewer' = 'viewer') =>
  caller({ tenant, subject: people[person].subject, scopes: [...people[person].scopes] });

const worst = (states: readonly (string | null)[]): string | null =>
  ['drift', 'unobserved', 'in_sync'].find((state) => states.includes(state)) ?? null;

const byText = <T>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The same answers by the operations of this version. */
const askNew = async ({ module }: Served, { tenant }: OldTenant, current: readonly object[]): Promise<Answers> => {
  const caller = callerIn(tenant);
  const page = { first: 200 };
  const { items: releases } = await module.releases.list(caller, page);
  const { items: promotions } = await module.promotions.list(caller, page);
  const { items: deployments } = await module.deployments.list(caller, page);
  const estate = [];
  for (const state of ['in_sync', 'drift', 'unobserved'])
    estate.push(...(await module.estate.drift(caller, { ...page, filter: { state } })).items);
  const source = '{ environments { id currentDeployment { id } } }';
  const { data, errors } = await graphql({ schema: module.schema, source, contextValue: module.context(caller) });
  assert.equal(errors, undefined);
  const environments: { id: string; currentDeployment: { id: string } | null }[] = JSON.parse(
    JSON.stringify(data),
  ).environments;
  // The rows of all products together equal the earlier ones: of each environment the newest deployment's.
  const newest = new Set(current.map((each) => Reflect.get(each, 'id')));
  const { rows } = await module.estate.matrix(caller, {});
  const cells = rows.flatMap(({ component, cells: each }) => each.map((cell) => ({ component, ...cell })));
  const merged = Map.groupBy(cells, ({ component, environment }) => `${environment.id} ${component}`);
  const matrix = [...merged.values()].flatMap((same) => {
    const [{ component, environment } = { component: '', environment: { id: '' } }] = same;
    const currentDeployment = same.find(({ deploymentId }) => newest.has(deploymentId));
    const cell = {
      environmentId: environment.id,
      component,
      deployment: currentDeployment?.deploymentId ?? null,
      digest: currentDeployment?.digest ?? null,
      state: worst(same.map(({ state }) => state)),
    };
    return cell.deployment === null && cell.state === null ? [] : cell;
  });
  return {
    releases: releases.map(({ id, name, semver, status }) => ({ id, name, semver, status })),
    promotions: promotions.map(({ id, state, approvalsNeeded }) => ({ id, state, approvalsNeeded })),
    deployments: deployments.map(({ id, releaseId, state, landing }) => ({ id, releaseId, state, landing })),
    estate: estate.map(({ targetId, component, state }) => ({ targetId, component, state })),
    current: environments.flatMap(({ id: environmentId, currentDeployment }) =>
      currentDeployment ? { environmentId, id: currentDeployment.id } : [],
    ),
    matrix,
  };
};

/** Compares who may be promoted where with the rule of before: landed verified in every lower environment. */
const compareRequests = async ({ module }: Served, { tenant, environments, releases }: OldTenant): Promise<void> => {
  const source =
    '{ releases(first: 200) { edges { node { id landscape { environment { id } viewerCanRequest { allowed } } } } } }';
  const contextValue = module.context(callerIn(tenant, 'operator'));
  const { data, errors } = await graphql({ schema: module.schema, source, contextValue });
  assert.equal(errors, undefined);
  const json = JSON.parse(JSON.stringify(data)).releases.edges.map(({ node }: { node: object }) => node);
  const expected = [...releases.values()].map(({ id, landed, open }) => ({
    id,
    landscape: environments.map((environment, index) => ({
      environment: { id: environment.id },
      viewerCanRequest: {
        allowed: !open.has(index) && environments.slice(0, index).every((_, lower) => landed.has(lower)),
      },
    })),
  }));
  assert.deepEqual(byText(json), byText(expected));
};

const productsIn = async (upgrade: Upgrade, { tenant }: OldTenant): Promise<Map<string, string>> => {
  const rows = await upgrade.force(`select id, name from orchestrator.products where tenant = '${tenant}'`);
  return new Map(rows.map((row) => [Reflect.get(row, 'id'), Reflect.get(row, 'name')]));
};

/** Adds a rollout of `pay` under way where `shop` landed before on one of two targets. */
const addRollout = (tenant: OldTenant) => {
  const [first, second] = tenant.targets;
  assert.ok(first && second);
  const release = releaseOf(tenant, { name: 'pay', version: 9 });
  const promotion = addPromotion(tenant, release, 0, 'deploying');
  const deployment = addDeployment(tenant, { release, place: 0, promotion, ends: 'running' });
  release.open.add(0);
  tenant.add('deployment_phases', {
    deployment_id: deployment,
    index: 0,
    kind: 'all',
    target_count: TARGETS_EACH,
    weight: 100,
    status: 'running',
    started_at: '2026-01-01',
  });
  for (const target of [first, second])
    tenant.add('agent_tasks', {
      id: tenant.id(),
      deployment_id: deployment,
      target_id: target.id,
      agent_id: tenant.agent,
      action: 'apply',
      spec: JSON.stringify({
        action: 'apply',
        driver: 'process',
        components: [...release.digests].map(([name, digest], index) => ({
          name,
          repository: 'registry.example/shop/web',
          digest,
          platforms: {},
          port: 8080 + index,
        })),
        traffic: { weight: 100, retire: true },
        place: null,
        spec: { env: {}, agentSecrets: {}, stopTimeoutMs: 1_000 },
        probe: { path: '/', timeoutMs: 5_000, intervalMs: 25 },
      }),
      secret_refs: '{}',
      deadline_at: '2100-01-01',
    });
  return { promotion, deployment, targets: [first.id, second.id] };
};

const shopFirst: History = {
  deployments: [{ name: 'shop', version: 1, place: 0, ends: 'verified' }],
  sights: ['approved', 'approved', 'approved', 'approved', 'approved', 'approved'],
};

/** Connections of the servers that go on while the database is migrated. */
const SERVERS = 3;

/**
 * Goes on as servers of the version before do until they are replaced: each transaction reports on a deployment, reads
 * releases and creates one. One that a deadlock ends is repeated, as the product does.
 */
const startTraffic = (upgrade: Upgrade, { id, tenant }: OldTenant, deployment: string) => {
  const created: string[] = [];
  let isOver = false;
  const transaction = (release: string): string[] => [
    'begin',
    `update orchestrator.deployments set version = version + 1 where tenant = '${tenant}' and id = '${deployment}'`,
    `select count(*) from orchestrator.releases where tenant = '${tenant}'`,
    insert('releases', {
      tenant,
      id: release,
      name: `traffic ${created.length % 3}`,
      semver: `1.0.${release.slice(-6)}`,
      ...by,
    }),
    'commit',
  ];
  const run = async (client: pg.Client): Promise<void> => {
    const release = id();
    try {
      for (const statement of transaction(release)) await client.query(statement);
      created.push(release);
    } catch (error) {
      await client.query('rollback');
      if (!isRetryable(error)) throw error;
    }
  };
  const serveOn = async (): Promise<void> => {
    const client = new pg.Client(upgrade.connection);
    await client.connect();
    while (!isOver) await run(client);
    await client.end();
  };
  const loop = Promise.all(Array.from({ length: SERVERS }, serveOn));
  return {
    created,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await loop;
    },
  };
};

/** Migrates while servers of the previous version continue: before, meanwhile and after. */
const migrateWithTraffic = async (upgrade: Upgrade, tenant: OldTenant, deployment: string): Promise<void> => {
  {
    await using traffic = startTraffic(upgrade, tenant, deployment);
    await until(async () => traffic.created.length >= 20);
    await upgrade.migrateTo();
    const before = traffic.created.length;
    await until(async () => traffic.created.length >= before + 20);
  }
  const mismatches = await upgrade.force(
    `select r.id from orchestrator.releases as r
     left join orchestrator.products as p on p.tenant = r.tenant and p.id = r.product_id and p.name = r.name
     where r.tenant = '${tenant.tenant}' and p.id is null`,
  );
  assert.deepEqual(mismatches, []);
  const names = [...(await productsIn(upgrade, tenant)).values()];
  assert.deepEqual(names.toSorted(), ['pay', 'shop', 'traffic 0', 'traffic 1', 'traffic 2']);
};

test('a database of the version before gets its products, gives the same answers, and lands what was under way', async (context) => {
  context.diagnostic(`MODEL_SEED=${seed}`);
  await using upgrade = await startUpgrade([kernel, folder]);
  await upgrade.migrateTo({ orchestrator: 20 });
  const tenants = fc.sample(histories, { numRuns: TENANTS, seed }).map((history, nth) => writeTenant(nth, history));
  const busy = writeTenant(TENANTS, shopFirst);
  const rollout = addRollout(busy);
  // Nothing has landed on the second target yet.
  busy.statements.push(
    `delete from orchestrator.approved_components where target_id = '${rollout.targets[1]}'`,
    `delete from orchestrator.observations where target_id = '${rollout.targets[1]}'`,
  );
  const passing = writeTenant(TENANTS + 1, shopFirst);
  const { deployment } = addRollout(passing);
  for (const { statements } of [...tenants, busy, passing]) await upgrade.force(...statements);
  const before = [];
  for (const tenant of [...tenants, busy]) before.push({ tenant, old: await askOld(upgrade, tenant) });
  for (const name of Object.keys(OLD))
    assert.ok(
      before.some(({ old }) => Object.entries(old).some(([key, rows]) => key === name && rows.length > 1)),
      name,
    );
  await migrateWithTraffic(upgrade, passing, deployment);

  await using served = serve(upgrade.connection);
  for (const { tenant, old } of before) {
    const { estate, current, matrix, ...listed } = await askNew(served, tenant, old.current);
    const { estate: oldEstateRows, current: oldCurrentRows, matrix: oldMatrix, ...oldListed } = old;
    assert.deepEqual(listed, oldListed);
    assert.deepEqual(byText(estate), byText(oldEstateRows));
    assert.deepEqual(byText(current), byText(oldCurrentRows));
    assert.deepEqual(byText(matrix), byText(oldMatrix));
    await compareRequests(served, tenant);

    const products = await productsIn(upgrade, tenant);
    const names = [...tenant.releases.values()].map(({ name }) => name);
    assert.deepEqual([...products.values()].toSorted(), [...new Set(names)].toSorted());
    const { items } = await served.module.releases.list(callerIn(tenant.tenant), { first: 200 });
    for (const { name, productId } of items) assert.equal(products.get(productId), name);
    const deployed = await served.module.deployments.list(callerIn(tenant.tenant), { first: 200 });
    for (const { releaseId, productId } of deployed.items)
      assert.equal(productId, items.find(({ id }) => id === releaseId)?.productId);
    for (const { id, productId } of await served.module.targets.list(callerIn(tenant.tenant), {})) {
      const owner = tenant.targets.find((each) => each.id === id)?.carries?.release.name;
      const expected = rollout.targets.includes(id) ? 'pay' : owner;
      assert.equal(productId === null ? undefined : products.get(productId), expected, `product of target ${id}`);
    }
  }

  const { module } = served;
  const operations = new Map(module.operations.map((operation) => [operation.spec.name, operation]));
  const agent = caller({ tenant: busy.tenant, subject: busy.agent, kind: 'agent' });
  const lease = () => operations.get('agentTask.lease')?.(agent, {});
  const landed = [];
  for (let next = await lease(); isAssignment(next); next = await lease()) {
    landed.push(next.task.targetId);
    const { taskId, fence } = next.task;
    await operations.get('agentTask.report')?.(agent, { taskId, fence, seq: 1, report: landedAt(next) });
  }
  assert.deepEqual(landed.toSorted(), rollout.targets.toSorted());
  const actor = callerIn(busy.tenant);
  const completed = await module.deployments.get(actor, { id: toId(rollout.deployment, 'Deployment') });
  assert.deepEqual([completed.state, completed.landing], ['completed', 'verified']);
  const { items: promotions } = await module.promotions.list(actor, {});
  assert.deepEqual(
    promotions.map(({ state }) => state),
    ['deployed', 'deployed'],
  );
  const { total, inSync } = await module.estate.status(actor, {});
  assert.deepEqual([total, inSync], [4, 4]);

  // A server of the previous version that still runs has no products.
  await upgrade.force(
    insert('releases', { tenant: 'late', id: busy.id(), name: 'shop', semver: '1.0.0', ...by }),
    insert('releases', { tenant: 'late', id: busy.id(), name: 'shop', semver: '1.1.0', ...by }),
  );
  const delayed = await module.products.list(callerIn('late'), {});
  assert.deepEqual(
    delayed.map(({ name }) => name),
    ['shop'],
  );
});
