import assert from 'node:assert/strict';
import { generateKeyPairSync, randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Assignment } from '@landfall/agent/protocol/messages';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { caller, people } from '@landfall/kernel/testing/callers';
import pg from 'pg';
import { imageOf } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, failedAt, isAssignment, landedAt } from '../../testing/deploying-app.ts';
import * as model from './products.model.ts';

const STEPS_IN_TENANT = 2_000;
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));

const ROWS_EVERY = 50;
const READS_EVERY = 100;

const NAMES = ['shop', 'pay', 'stock'] as const;
const TAGS = ['1', '2', '3', '4', '5', '6'] as const;
const REPOSITORIES = ['shop/web', 'shop/api', 'other/web'] as const;
const PERSONS = ['operator', 'approver', 'second-approver'] as const;
const LABELS: readonly model.Labels[] = [{}, { ring: '1' }, { ring: '2' }, { ring: '1', region: 'eu' }];
const SELECTORS: readonly model.Labels[] = [{}, {}, {}, {}, { ring: '1' }, { region: 'eu' }];
const other = `sha256:${'f'.repeat(64)}`;
const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' });

type Person = (typeof PERSONS)[number];

/** Pseudo-random choices, equal for equal seeds (mulberry32). */
const createChoices = (start: number) => {
  let state = start >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  const maybe = <T>(items: readonly T[]): T | undefined => items[below(items.length)];
  return {
    below,
    maybe,
    one: <T>(items: readonly T[]): T => {
      const item = maybe(items);
      if (item === undefined) throw new RangeError('nothing to choose from');
      return item;
    },
    /** Chooses one of the last items, which most often still have something to do. */
    recent: <T>(items: readonly T[], count = 6): T | undefined => maybe(below(4) === 0 ? items : items.slice(-count)),
    some: <T>(items: readonly T[]): T[] => items.filter(() => below(2) === 0),
    once: (times: number): boolean => below(times) === 0,
  };
};

type Choices = ReturnType<typeof createChoices>;

/** Row that a step changed, with the entity that it belongs to. */
interface Change {
  readonly n: string;
  readonly tenant: string;
  readonly place: string;
  readonly ref: string;
  readonly state: string | null;
  readonly product: string | null;
  readonly version: number | null;
}

/** Tables that belong to products, with the column of the entity they are about and that of its state. */
const TABLES = {
  products: ['id', 'name'],
  path_steps: ['product_id', 'need'],
  releases: ['id', 'status'],
  release_components: ['release_id', 'name'],
  promotions: ['id', 'state'],
  promotion_approvals: ['promotion_id', 'decision'],
  deployments: ['id', 'state'],
  deployment_phases: ['deployment_id', 'status'],
  deployment_targets: ['deployment_id', 'state'],
  agent_tasks: ['deployment_id', 'state'],
  targets: ['id', 'state'],
  approved_components: ['target_id', 'component'],
  observations: ['target_id', 'component'],
} as const;

const ENTITIES: readonly string[] = Object.entries(TABLES).flatMap(([name, [ref]]) => (ref === 'id' ? name : []));

const watchStatements = [
  `create table public.row_changes (
     n bigserial primary key, tenant text, place text, ref uuid, state text, product uuid, version integer)`,
  `create function public.record_row_change() returns trigger language plpgsql security definer as $$
   declare changed jsonb;
   begin
     if tg_op = 'DELETE' then changed := to_jsonb(old); else changed := to_jsonb(new); end if;
     insert into public.row_changes (tenant, place, ref, state, product, version) values (changed ->> 'tenant',
       tg_table_name, (changed ->> tg_argv[0])::uuid, changed ->> tg_argv[1], (changed ->> 'product_id')::uuid,
       (changed ->> 'version')::integer);
     return null;
   end $$`,
  ...Object.entries(TABLES).map(
    ([name, [ref, state]]) => `create trigger row_change after insert or update or delete on orchestrator.${name}
      for each row execute function public.record_row_change('${ref}', '${state}')`,
  ),
];

/** Records every change of a row that belongs to a product, by triggers in the database. */
const watchRows = async (app: DeployingApp) => {
  const client = new pg.Client(app.connection);
  await client.connect();
  for (const statement of watchStatements) await client.query(statement);
  let last = '0';
  return {
    ask: async <R extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<R[]> =>
      (await client.query<R>({ name, text, values: [...values] })).rows,
    /** Lists the changes since it was asked last. */
    async changes(): Promise<Change[]> {
      const { rows } = await client.query<Change>({
        name: 'changes',
        text: 'select * from public.row_changes where n > $1 order by n',
        values: [last],
      });
      last = rows.at(-1)?.n ?? last;
      return rows;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};

type Watch = Awaited<ReturnType<typeof watchRows>>;

type Subject = model.Product | model.Target;

/** Step of the walk: an operation, the code that the model expects, and whose rows it may change. */
interface Act {
  readonly says: string;
  readonly expected: model.Code;
  readonly touches: readonly (Subject | null)[];
  call(): Promise<unknown>;
  /** Learns the ids of what was created. */
  made?(value: unknown): void;
}

interface Images {
  digestOf(repository: string, tag: string): string;
}

/** Tenant with environments and agents, its model, and what the test learned from answers. */
const createTenant = async (app: DeployingApp, watch: Watch, nth: number) => {
  const tenant = `tenant-${nth}`;
  const as = (person: Person | 'viewer'): Caller => {
    const { subject, scopes } = people[person];
    return caller({ tenant, subject, scopes: [...scopes] });
  };
  const environments: model.Environment[] = [];
  for (const [at, name] of ['dev', 'stage', 'prod-eu', 'prod-us'].entries()) {
    const { id, orderIndex } = await app.module.environments.create(as('operator'), {
      name,
      orderIndex: at * 10,
      stageKind: 'stage',
      requiredApprovals: at === 0 ? 0 : 1,
      separationOfDuties: at === 3 ? 'author' : 'off',
    });
    environments.push({
      id,
      orderIndex,
      requiredApprovals: at === 0 ? 0 : 1,
      separationOfDuties: at === 3 ? 'author' : 'off',
      isExclusive: false,
    });
  }
  const agents: string[] = [];
  for (const name of ['one', 'two']) {
    const id = app.deps.ids.uuid();
    await watch.ask(
      'agent',
      `insert into orchestrator.agents (tenant, id, name, state, software_version, spiffe_id, certificate_serial,
         certificate_not_after, public_key, capabilities, host_facts, last_heartbeat_at, created_by)
       values ($1, $2, $3, 'active', '1.0.0', 'spiffe://test', $3, kernel.now(), $4, '{"process": "1"}',
         '{"platform": "linux/amd64"}',
         kernel.now(), 'operator')`,
      [tenant, id, name, publicKey],
    );
    agents.push(id);
  }
  const known: model.Model = {
    environments,
    products: [],
    targets: [],
    releases: [],
    promotions: [],
    deployments: [],
  };
  return {
    app,
    tenant,
    as,
    known,
    agents: agents.map((id) => ({ id, caller: caller({ tenant, subject: id, kind: 'agent' }), privateKey: '' })),
    agentOf: new Map<model.Target, number>(),
    versions: new Map<string, number>(),
    digestSets: new Map<model.Release, string>(),
    tasks: new Map<model.Target, Assignment>(),
    count: 0,
  };
};

type Tenant = Awaited<ReturnType<typeof createTenant>>;

const idOf = (value: unknown): string => String(Reflect.get(Object(value), 'id'));

const learn =
  (entity: { id: string } | undefined) =>
  (value: unknown): void => {
    assert.ok(entity);
    entity.id = idOf(value);
  };

const labelPairs = (labels: model.Labels) => Object.entries(labels).map(([name, value]) => ({ name, value }));

const reason = 'Because the model says so.';

// Products

const declarations = (choices: Choices, registry: DeployingApp['registry']): readonly model.Declared[] | null => {
  if (choices.once(2)) return null;
  return ['web', 'api'].slice(0, 1 + choices.below(2)).map((name) => ({
    name,
    repository: registry.repository(name === 'api' ? 'shop/api' : choices.one(['shop/web', 'shop/web', 'other/web'])),
    required: !choices.once(3),
  }));
};

type Maker = (tenant: Tenant, choices: Choices, images: Images) => Act | undefined;

const createProduct: Maker = ({ app, as, known }, choices) => {
  const name = choices.one(NAMES);
  const components = declarations(choices, app.registry);
  const expected = model.createProduct(known, name, components);
  const product = expected === undefined ? known.products.at(-1) : undefined;
  return {
    says: `create product ${name} of ${components?.map((each) => each.name) ?? 'anything'}`,
    expected,
    touches: [product ?? null],
    call: () => app.module.products.create(as('operator'), { name, ...(components && { components }) }),
    made: learn(product),
  };
};

/** Version to send, which is sometimes not the one that is there. */
const versionOf = ({ versions }: Tenant, { id }: { readonly id: string }, isStale: boolean): number =>
  (versions.get(id) ?? 1) + (isStale ? 7 : 0);

const declareComponents: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const product = choices.recent(known.products, 3);
  if (!product) return undefined;
  const components = declarations(choices, app.registry);
  const isStale = choices.once(10);
  const expected = isStale && !product.isRemoved ? 'RES_VERSION_CONFLICT' : model.declare(product, components);
  const input = { id: product.id, expectedVersion: versionOf(tenant, product, isStale), components };
  return {
    says: `declare components of ${product.name}`,
    expected,
    touches: [product],
    call: () => app.module.products.update(as('operator'), input),
  };
};

const removeProduct: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const product = choices.recent(known.products, 3);
  if (!product) return undefined;
  const input = { id: product.id, expectedVersion: versionOf(tenant, product, false) };
  return {
    says: `remove product ${product.name}`,
    expected: model.removeProduct(known, product),
    touches: [product],
    call: () => app.module.products.remove(as('operator'), input),
  };
};

const policyOf = (choices: Choices): model.Policy => {
  if (choices.once(2)) return {};
  return {
    ...(choices.once(2) && { requiredApprovals: choices.below(3) }),
    ...(choices.once(3) && { separationOfDuties: choices.one(['off', 'author'] as const) }),
    ...(choices.once(3) && { relaxes: true }),
  };
};

/** Path of some environments in any order, which is rarely wrong. */
const stepsOf = ({ known: { environments } }: Tenant, choices: Choices): model.Step[] => {
  const environmentIds = environments.filter(() => !choices.once(4));
  if (choices.once(3)) environmentIds.reverse();
  const steps = environmentIds.map((environment, index): model.Step => {
    const others: (model.Environment | undefined)[] = choices.once(40)
      ? environmentIds
      : environmentIds.slice(0, index);
    const after = choices.once(3) ? choices.some(others) : others.slice(-1 - choices.below(2));
    return {
      environment: choices.once(80) ? undefined : environment,
      after: choices.once(80) ? [...after, undefined] : after,
      need: choices.one(['all', 'any']),
      labels: choices.one(SELECTORS),
      policy: policyOf(choices),
    };
  });
  return choices.once(40) ? [...steps, ...steps.slice(0, 1)] : steps;
};

const nowhere = '00000000-0000-7000-8000-00000000ffff';

const setPath: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const product = choices.recent(known.products, 3);
  const steps = choices.once(4) ? null : stepsOf(tenant, choices);
  if (!product || steps?.length === 0) return undefined;
  const environmentIdOf = (environment: model.Environment | undefined): string => environment?.id ?? nowhere;
  const input = {
    id: product.id,
    expectedVersion: versionOf(tenant, product, false),
    steps:
      steps?.map(({ environment, after, need, labels, policy }) => ({
        environmentId: environmentIdOf(environment),
        after: after.map(environmentIdOf),
        need,
        targetLabels: labelPairs(labels),
        policy,
      })) ?? null,
  };
  return {
    says: `path of ${product.name}: ${JSON.stringify(input.steps)}`,
    expected: model.setPath(product, steps),
    touches: [product],
    call: () => app.module.products.setPath(as('operator'), input),
  };
};

const changeEnvironment: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const environment = choices.one(known.environments);
  const requiredApprovals = choices.one([0, 0, 1, 1, 2]);
  const separationOfDuties = choices.one(['off', 'off', 'author'] as const);
  const isExclusive = choices.once(3);
  Object.assign(environment, { requiredApprovals, separationOfDuties, isExclusive });
  return {
    says: `environment needs ${requiredApprovals} approvals, duties ${separationOfDuties}, exclusive ${isExclusive}`,
    expected: undefined,
    touches: [],
    async call() {
      const { id } = environment;
      const { version: expectedVersion } = await app.module.environments.get(as('viewer'), { id });
      return app.module.environments.update(as('operator'), {
        id,
        expectedVersion,
        requiredApprovals,
        separationOfDuties,
        isExclusive,
      });
    },
  };
};

// Targets

const MAX_TARGETS = 14;

const createTarget: Maker = (tenant, choices) => {
  const { app, as, known, agents, agentOf } = tenant;
  if (known.targets.filter(({ isRemoved }) => !isRemoved).length >= MAX_TARGETS) return undefined;
  const environment = choices.one(known.environments);
  const product = choices.once(2) ? null : (choices.maybe(known.products) ?? null);
  const labels = choices.one(LABELS);
  const agent = choices.below(agents.length);
  const expected = model.createTarget(known, environment, product, labels);
  const target = expected === undefined ? known.targets.at(-1) : undefined;
  if (target) agentOf.set(target, agent);
  tenant.count += 1;
  const input = {
    environmentId: environment.id,
    name: `target-${tenant.count}`,
    driver: 'process',
    config: { port: 20_000 },
    agentId: agents[agent]?.id,
    labels: labelPairs(labels),
    ...(product && { productId: product.id }),
  };
  return {
    says: `create ${input.name} of ${product?.name ?? 'nobody'}`,
    expected,
    touches: [target ?? null, product],
    call: () => app.module.targets.create(as('operator'), input),
    made: learn(target),
  };
};

type TargetChange = (
  tenant: Tenant,
  target: model.Target,
  choices: Choices,
) => Pick<Act, 'says' | 'expected'> & {
  call(input: { readonly id: string; readonly expectedVersion: number }): Promise<unknown>;
};

const targetAct =
  (change: TargetChange): Maker =>
  (tenant, choices) => {
    const target = choices.maybe(tenant.known.targets);
    if (!target) return undefined;
    const owner = target.product;
    const input = { id: target.id, expectedVersion: versionOf(tenant, target, false) };
    const { says: summary, expected, call } = change(tenant, target, choices);
    return { says: summary, expected, touches: [target, owner, target.product], call: () => call(input) };
  };

const moveTarget = targetAct(({ app, as, known }, target, choices) => {
  const product = choices.once(4) ? null : (choices.maybe(known.products) ?? null);
  return {
    says: `give target ${target.id} to ${product?.name ?? 'nobody'}`,
    expected: model.moveTarget(known, target, product),
    call: (input) => app.module.targets.update(as('operator'), { ...input, productId: product?.id ?? null }),
  };
});

const labelTarget = targetAct(({ app, as }, target, choices) => {
  const labels = choices.one(LABELS);
  return {
    says: `label target ${target.id}`,
    expected: model.labelTarget(target, labels),
    call: (input) => app.module.targets.update(as('operator'), { ...input, labels: labelPairs(labels) }),
  };
});

const toggleTarget = targetAct(({ app, as, known }, target, choices) => {
  const isEnabled = target.isEnabled ? choices.once(4) : !choices.once(4);
  return {
    says: `${isEnabled ? 'enable' : 'disable'} target ${target.id}`,
    expected: model.toggleTarget(known, target, isEnabled),
    call: (input) => app.module.targets[isEnabled ? 'enable' : 'disable'](as('operator'), input),
  };
});

const removeTarget = targetAct(({ app, as, known }, target) => ({
  says: `remove target ${target.id}`,
  expected: model.removeTarget(known, target),
  call: (input) => app.module.targets.remove(as('operator'), input),
}));

const observe: Maker = ({ app, known, agents, agentOf }, choices, images) => {
  const target = choices.maybe(known.targets.filter(({ isRemoved }) => !isRemoved));
  const agent = target && agents[agentOf.get(target) ?? 0];
  if (!target || !agent) return undefined;
  const component = choices.one(['web', 'web', 'api', 'miner']);
  const digest = choices.once(3)
    ? other
    : (target.approved.get(component) ?? images.digestOf('shop/web', choices.one(TAGS)));
  model.observe(target, component, digest);
  return {
    says: `${component} is seen on ${target.id}`,
    expected: undefined,
    // A beat also settles the health of the agent's other targets.
    touches: known.targets.filter((each) => agentOf.get(each) === agentOf.get(target)),
    async call() {
      // Observations older than the last landing are discarded.
      await app.clock.advance(1);
      const observedAt = app.deps.clock.now().toISOString();
      const observed = [{ targetId: target.id, component, running: true, digest, reason: null, observedAt }];
      return app.beat(agent, { observed });
    },
  };
};

// Releases

const MAX_RELEASES = 40;

const componentsOf = (choices: Choices, images: Images, registry: DeployingApp['registry']) => {
  const component = (name: string, path: string) => {
    const tag = choices.one(TAGS);
    return { name, repository: registry.repository(path), tag, digest: images.digestOf(path, tag) };
  };
  const web = component('web', choices.one(['shop/web', 'shop/web', 'shop/web', 'other/web']));
  return choices.once(2) ? [web] : [web, component('api', 'shop/api')];
};

const createRelease: Maker = (tenant, choices, images) => {
  const { app, as, known } = tenant;
  if (known.releases.length >= MAX_RELEASES && !choices.once(4)) return undefined;
  const name = choices.one(NAMES);
  tenant.count += 1;
  const semver = `1.0.${choices.once(6) ? choices.below(tenant.count) : tenant.count}`;
  const components = componentsOf(choices, images, app.registry);
  const by = choices.one(['operator', 'operator', 'approver'] as const);
  const before = known.products.length;
  const expected = model.createRelease(known, name, semver, components, people[by].subject);
  const release = expected === undefined ? known.releases.at(-1) : undefined;
  const isNew = known.products.length > before;
  return {
    says: `create release ${name} ${semver}`,
    expected,
    touches: [release?.product ?? null],
    call: () =>
      app.module.releases.create(as(by), {
        name,
        semver,
        components: components.map(({ digest: _digest, ...component }) => component),
      }),
    made(value) {
      learn(release)(value);
      if (isNew && release) release.product.id = String(Reflect.get(Object(value), 'productId'));
    },
  };
};

const actOnRelease: Maker = (tenant, choices) => {
  const { app, as, known, digestSets } = tenant;
  const release = choices.recent(known.releases);
  if (!release) return undefined;
  const next = release.status === 'draft' ? 'finalize' : 'markReady';
  const runs: readonly model.ReleaseAct[] = ['finalize', 'markReady', 'hold', 'clearHold', 'clearHold', 'deprecate'];
  const run = release.isHeld || choices.once(6) ? choices.one(runs) : next;
  const isStale = choices.once(20);
  // The author finalizes, so that one person is both.
  const by = release.author === people.approver.subject ? 'approver' : 'operator';
  const input = { id: release.id, expectedVersion: versionOf(tenant, release, isStale), reason };
  return {
    says: `${run} ${release.product.name} ${release.semver}`,
    expected: isStale ? 'RES_VERSION_CONFLICT' : model.releaseAct(release, run),
    touches: [release.product],
    call: () => app.module.releases[run](as(by), input),
    made(value) {
      const set = Reflect.get(Object(value), 'gatedDigestSet');
      if (typeof set === 'string') digestSets.set(release, set);
    },
  };
};

// Promotions

const request: Maker = ({ app, as, known }, choices) => {
  const ready = known.releases.filter(({ status }) => status === 'ready');
  const release = choices.recent(choices.once(8) ? known.releases : ready);
  if (!release) return undefined;
  const open = known.environments.filter((each) => model.requestRefusal(known, release, each) === undefined);
  const environment = choices.maybe(choices.once(2) ? known.environments : open);
  if (!environment) return undefined;
  const by = choices.one(PERSONS);
  const expected = model.request(known, release, environment, people[by].subject);
  const promotion = expected === undefined ? known.promotions.at(-1) : undefined;
  return {
    says: `request ${release.product.name} ${release.semver} in ${environment.orderIndex} by ${by}`,
    expected,
    touches: [release.product],
    call: () =>
      app.module.promotions.request(as(by), { releaseId: release.id, targetEnvironmentId: environment.id, reason }),
    made: learn(promotion),
  };
};

const openOf = ({ known }: Tenant, ...states: readonly model.Promotion['state'][]): model.Promotion[] =>
  known.promotions.filter(({ state }) => states.includes(state));

const acknowledgements = ({ known }: Tenant, choices: Choices, release: model.Release): model.Deployment[] =>
  choices.once(4) ? [] : model.adverseOutcomes(known, release);

const describePromotion = ({ release, environment }: model.Promotion): string =>
  `${release.product.name} ${release.semver} to ${environment.orderIndex}`;

const approve: Maker = (tenant, choices) => {
  const { app, as, known, digestSets } = tenant;
  const promotion = choices.recent(choices.once(8) ? known.promotions : openOf(tenant, 'pending'));
  if (!promotion) return undefined;
  const by = choices.one(PERSONS);
  const hasSeen = !choices.once(12);
  const acknowledged = acknowledgements(tenant, choices, promotion.release);
  const seenGatedDigestSet = hasSeen ? digestSets.get(promotion.release) : other;
  return {
    says: `approve ${describePromotion(promotion)} by ${by}`,
    expected: model.approve(known, promotion, { by: people[by].subject, hasSeen, acknowledged }),
    touches: [promotion.release.product],
    call: () =>
      app.module.promotions.approve(as(by), {
        id: promotion.id,
        seenGatedDigestSet,
        acknowledgeOutcomes: acknowledged.map(({ id }) => id),
      }),
  };
};

const decide: Maker = ({ app, as, known }, choices) => {
  const promotion = choices.maybe(known.promotions);
  if (!promotion) return undefined;
  const run = choices.one(['reject', 'cancel'] as const);
  return {
    says: `${run} ${describePromotion(promotion)}`,
    expected: model.decide(promotion, run),
    touches: [promotion.release.product],
    call: () => app.module.promotions[run](as('approver'), { id: promotion.id, comment: reason, reason }),
  };
};

// Deployments

const launch: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const promotion = choices.recent(choices.once(8) ? known.promotions : openOf(tenant, 'approved'), 3);
  if (!promotion) return undefined;
  const isHopeless = model.reach(known, promotion.release.product, promotion.environment).length === 0;
  if (isHopeless && !choices.once(6)) return undefined;
  const by = choices.one(PERSONS);
  const acknowledged = acknowledgements(tenant, choices, promotion.release);
  const expected = model.launch(known, promotion, { by: people[by].subject, acknowledged });
  const deployment = expected === undefined ? known.deployments.at(-1) : undefined;
  return {
    says: `launch ${describePromotion(promotion)} by ${by}`,
    expected,
    touches: [promotion.release.product],
    call: () =>
      app.module.deployments.launch(as(by), {
        promotionId: promotion.id,
        acknowledgeOutcomes: acknowledged.map(({ id }) => id),
      }),
    made: learn(deployment),
  };
};

const turn: Maker = (tenant) => {
  const { app, known, agents, tasks } = tenant;
  const queued = known.deployments.filter(({ state }) => state === 'queued');
  model.turn(known);
  return {
    says: `turn of the runner: ${queued.length} deployments`,
    expected: undefined,
    touches: queued.map(model.productOf),
    async call() {
      for (let started = 1; started > 0; ) started = await app.module.runOnce.runner();
      const byId = new Map(known.targets.map((target) => [target.id, target]));
      for (const agent of agents)
        for (let next = await app.lease(agent); isAssignment(next); next = await app.lease(agent)) {
          const target = byId.get(next.task.targetId);
          if (target) tasks.set(target, next);
        }
      const waiting = queued.flatMap((each) => (each.state === 'in_progress' ? [...each.targets.keys()] : []));
      assert.ok(
        waiting.every((target) => tasks.has(target)),
        'every target of the deployment has a task',
      );
    },
  };
};

const LANDINGS: readonly model.Landing[] = ['verified', 'verified', 'unverified', 'mismatch', 'failed'];

const reportOf = (how: model.Landing, assignment: Assignment): object => {
  if (how === 'failed') return failedAt('registry-unreachable', 'ECONNREFUSED');
  if (how === 'verified') return landedAt(assignment);
  return landedAt(assignment, { observedDigest: how === 'mismatch' ? other : null });
};

const land: Maker = (tenant, choices) => {
  const { app, known, agents, agentOf, tasks } = tenant;
  const deployment = choices.maybe(known.deployments.filter(({ state }) => state === 'in_progress'));
  const target = [...(deployment?.targets ?? [])].find(([, end]) => end === null)?.[0];
  const agent = target && agents[agentOf.get(target) ?? 0];
  if (!deployment || !target || !agent) return undefined;
  const how = choices.once(2) ? 'verified' : choices.one(LANDINGS);
  model.land(known, deployment, target, how);
  return {
    says: `${how} landing of ${describePromotion(deployment.promotion)} on ${target.id}`,
    expected: undefined,
    touches: [model.productOf(deployment)],
    async call() {
      const assignment = tasks.get(target);
      assert.ok(assignment);
      tasks.delete(target);
      await app.report(agent, assignment, 1, reportOf(how, assignment));
    },
  };
};

const cancelDeployment: Maker = ({ app, as, known }, choices) => {
  const deployment = choices.recent(known.deployments.filter(({ state }) => state !== 'in_progress'));
  if (!deployment) return undefined;
  return {
    says: `cancel the deployment of ${describePromotion(deployment.promotion)}, ${deployment.state}`,
    expected: model.cancelDeployment(known, deployment),
    touches: [model.productOf(deployment)],
    call: () => app.module.deployments.cancel(as('operator'), { id: deployment.id, reason }),
  };
};

const rollBack: Maker = ({ app, as, known }, choices) => {
  const environment = choices.one(known.environments);
  const product = choices.once(3) ? undefined : choices.maybe(model.deployedTo(known, environment));
  if (product === undefined && !choices.once(3)) return undefined;
  const choicesOfIt = product ? model.rollbackChoices(known, product, environment) : [];
  const wanted = choices.once(3) ? choices.maybe(choices.once(2) ? known.deployments : choicesOfIt) : undefined;
  const before = known.deployments.length;
  const expected = model.rollBack(known, environment, product, wanted);
  const created = known.deployments.length > before ? known.deployments.at(-1) : undefined;
  const touched = [product, wanted && model.productOf(wanted), created && model.productOf(created)];
  return {
    says: `roll ${product?.name ?? 'something'} back in ${environment.orderIndex}`,
    expected,
    touches: touched.flatMap((each) => each ?? []),
    call: () =>
      app.module.deployments.rollback(as('operator'), {
        environmentId: environment.id,
        ...(product && { productId: product.id }),
        ...(wanted && { toDeploymentId: wanted.id }),
        reason,
      }),
    made: learn(created),
  };
};

const retry: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const failed = known.deployments.filter(({ isRetryable }) => isRetryable);
  const deployment = choices.recent(choices.once(4) ? known.deployments : failed, 3);
  if (!deployment) return undefined;
  const by = choices.one(PERSONS);
  const acknowledged = acknowledgements(tenant, choices, deployment.promotion.release);
  const expected = model.retry(known, deployment, { by: people[by].subject, acknowledged });
  const created = expected === undefined ? known.deployments.at(-1) : undefined;
  return {
    says: `retry ${describePromotion(deployment.promotion)} by ${by}`,
    expected,
    touches: [model.productOf(deployment)],
    call: () =>
      app.module.deployments.retry(as(by), {
        id: deployment.id,
        acknowledgeOutcomes: acknowledged.map(({ id }) => id),
      }),
    made(value) {
      learn(created)(value);
      if (created) created.promotion.id = String(Reflect.get(Object(value), 'promotionId'));
    },
  };
};

/** Operations of a stranger and of a viewer, which change nothing. */
const runForbidden: Maker = ({ app, as, known }, choices) => {
  const promotion = choices.maybe(known.promotions);
  const product = choices.maybe(known.products);
  if (!promotion || !product) return undefined;
  const otherCaller = app.caller('other-tenant');
  const { products, promotions, deployments } = app.module;
  const input = { id: product.id, expectedVersion: 1 };
  const [summary, expected, call] = choices.one([
    ['a viewer removes a product', 'PERM_SCOPE_DENIED', () => products.remove(as('viewer'), input)],
    ['a stranger removes a product', 'RES_NOT_FOUND', () => products.remove(otherCaller, input)],
    [
      'a viewer rejects',
      'PERM_SCOPE_DENIED',
      () => promotions.reject(as('viewer'), { id: promotion.id, comment: reason }),
    ],
    [
      'a stranger launches',
      'RES_PROMOTION_NOT_FOUND',
      () => deployments.launch(otherCaller, { promotionId: promotion.id }),
    ],
  ] as const);
  return { says: summary, expected, touches: [], call };
};

const WEIGHTS: readonly (readonly [number, Maker])[] = [
  [1, createProduct],
  [1, declareComponents],
  [1, removeProduct],
  [2, setPath],
  [2, changeEnvironment],
  [4, createTarget],
  [3, moveTarget],
  [3, labelTarget],
  [2, toggleTarget],
  [1, removeTarget],
  [2, observe],
  [4, createRelease],
  [14, actOnRelease],
  [24, request],
  [30, approve],
  [10, decide],
  [5, launch],
  [3, turn],
  [10, land],
  [4, cancelDeployment],
  [4, rollBack],
  [2, retry],
  [6, runForbidden],
];

const TOTAL_WEIGHT = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

const makerOf = (choices: Choices): Maker => {
  let remaining = choices.below(TOTAL_WEIGHT);
  for (const [weight, creator] of WEIGHTS) {
    if (remaining < weight) return creator;
    remaining -= weight;
  }
  return request;
};

const nextAct = (tenant: Tenant, choices: Choices, images: Images): Act => {
  for (;;) {
    const run = makerOf(choices)(tenant, choices, images);
    if (run) return run;
  }
};

const codeOf = async ({ call, made: created, expected }: Act): Promise<model.Code> => {
  try {
    const value = await call();
    if (expected === undefined) created?.(value);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

// Comparison

/** Compares the rows that a step changed: they belong to its product, and have the states of the model. */
const compareChanges = (tenant: Tenant, { touches, expected }: Act, changes: readonly Change[]): void => {
  const { known, versions } = tenant;
  const own = changes.filter((change) => change.tenant === tenant.tenant);
  if (expected !== undefined) assert.deepEqual(own, [], 'a refused operation changes nothing');
  if (own.length === 0) return;
  const owners = new Map<string, readonly (Subject | null)[]>([
    ...known.products.map((product) => [product.id, [product]] as const),
    ...known.releases.map(({ id, product }) => [id, [product]] as const),
    ...known.promotions.map(({ id, release }) => [id, [release.product]] as const),
    ...known.deployments.map((deployment) => [deployment.id, [model.productOf(deployment)]] as const),
    ...known.targets.map((target) => [target.id, [target, target.product]] as const),
  ]);
  const states = new Map<string, string>([
    ...known.releases.map(({ id, status }) => [id, status] as const),
    ...known.promotions.map(({ id, state }) => [id, state] as const),
    ...known.deployments.map(({ id, state }) => [id, state] as const),
  ]);
  const products = new Map(known.targets.map(({ id, product }) => [id, product?.id ?? null]));
  const last = new Map<string, Change>();
  for (const change of own) {
    const { place: environment, ref } = change;
    const allowed = owners.get(ref)?.some((owner) => owner !== null && touches.includes(owner));
    assert.ok(allowed, `${environment} ${ref} belongs to another product, or to nothing that is known`);
    if (ENTITIES.includes(environment)) last.set(ref, change);
  }
  for (const [ref, { state, version, place: environment, product }] of last) {
    if (version !== null) versions.set(ref, version);
    if (states.has(ref)) assert.equal(state, states.get(ref), `state of ${environment} ${ref}`);
    if (environment === 'targets') assert.equal(product, products.get(ref), `product of target ${ref}`);
  }
};

const everyRow = `
  select 'promotion' as place, id, state from orchestrator.promotions where tenant = $1
  union all select 'deployment', id, state || ' ' || coalesce(landing, '-') || ' ' || product_id
    from orchestrator.deployments where tenant = $1
  union all select 'release', id, status || ' ' || (hold_reason is not null) || ' ' || product_id
    from orchestrator.releases where tenant = $1
  union all select 'product', id, name || ' ' || has_own_path from orchestrator.products
    where tenant = $1 and removed_at is null
  union all select 'target', id, environment_id || ' ' || coalesce(product_id::text, '-') || ' ' || (state <> 'disabled')
    from orchestrator.targets where tenant = $1 and removed_at is null
  union all select 'approved', target_id, component || ' ' || digest from orchestrator.approved_components
    where tenant = $1
  order by 1, 2, 3`;

interface Row {
  readonly place: string;
  readonly id: string;
  readonly state: string;
}

const rowsOf = ({ promotions, deployments, releases, products, targets }: model.Model): Row[] => [
  ...promotions.map(({ id, state }) => ({ place: 'promotion', id, state })),
  ...deployments.map((deployment) => ({
    place: 'deployment',
    id: deployment.id,
    state: `${deployment.state} ${deployment.landing ?? '-'} ${model.productOf(deployment).id}`,
  })),
  ...releases.map(({ id, status, isHeld: isOnHold, product }) => ({
    place: 'release',
    id,
    state: `${status} ${isOnHold} ${product.id}`,
  })),
  ...products.flatMap(({ id, name, path, isRemoved }) =>
    isRemoved ? [] : { place: 'product', id, state: `${name} ${path !== null}` },
  ),
  ...targets.flatMap(({ id, environment, product, isEnabled, isRemoved }) =>
    isRemoved ? [] : { place: 'target', id, state: `${environment.id} ${product?.id ?? '-'} ${isEnabled}` },
  ),
  ...targets.flatMap(({ id, approved }) =>
    [...approved].map(([component, digest]) => ({ place: 'approved', id, state: `${component} ${digest}` })),
  ),
];

const byText = <T>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Compares every row of the tenant, and the figures of its estate. */
const compareRows = async ({ app, tenant, as, known }: Tenant, watch: Watch): Promise<void> => {
  assert.deepEqual(byText(await watch.ask<Row>('rows', everyRow, [tenant])), byText(rowsOf(known)));
  const { total, drift, inSync, unobserved } = await app.module.estate.status(as('viewer'), {});
  const expected = model.estateOf(known);
  const inState = (wanted: model.EstateState): number => expected.filter(({ state }) => state === wanted).length;
  assert.deepEqual(
    { total, drift, inSync, unobserved },
    {
      total: expected.length,
      drift: inState('drift'),
      inSync: inState('in_sync'),
      unobserved: inState('unobserved'),
    },
  );
};

const READS = `{
  products {
    id
    path { environment { id } requiredApprovals separationOfDuties after { id } need targetLabels { name value } }
    targets { id }
    viewerCanRemove { allowed }
    environments {
      environment { id }
      currentDeployment { id } activeDeployment { id } newestDeployment { id }
      state
      promotions { id }
      rollbackChoices { id }
    }
  }
  environmentMatrix { rows { product { id } component cells { environment { id } deployment { id } state targets } } }
}`;

const WORST: readonly model.EstateState[] = ['drift', 'unobserved', 'in_sync'];

const worstOf = (states: readonly model.EstateState[]): string | null =>
  WORST.find((state) => states.includes(state))?.toUpperCase() ?? null;

const idOrNull = (entity: { readonly id: string } | null | undefined) => (entity ? { id: entity.id } : null);

const expectedProduct = (known: model.Model, product: model.Product) => {
  const own = known.targets.filter((target) => target.product === product && !target.isRemoved);
  const estate = model.estateOf(known).filter(({ target }) => target.product === product);
  const steps = model
    .pathOf(known, product)
    .flatMap(({ environment, ...step }) => (environment ? { environment, ...step } : []))
    .toSorted((a, b) => a.environment.orderIndex - b.environment.orderIndex);
  return {
    id: product.id,
    path: steps.map(({ environment, after, need, labels }) => {
      const { requiredApprovals, separationOfDuties } = model.settingsAt(known, product, environment);
      return {
        environment: { id: environment.id },
        requiredApprovals,
        separationOfDuties: separationOfDuties.toUpperCase(),
        after: byText(after.map((each) => ({ id: each?.id ?? '' }))),
        need: need.toUpperCase(),
        targetLabels: byText(labelPairs(labels)),
      };
    }),
    targets: byText(own.map(({ id }) => ({ id }))),
    viewerCanRemove: { allowed: own.length === 0 },
    environments: steps.map(({ environment }) => {
      const own = known.deployments.filter(
        (each) => model.productOf(each) === product && model.environmentOf(each) === environment,
      );
      const open = known.promotions.filter(
        (each) =>
          each.release.product === product &&
          each.environment === environment &&
          ['pending', 'approved'].includes(each.state),
      );
      return {
        environment: { id: environment.id },
        currentDeployment: idOrNull(model.currentIn(known, product, environment)),
        activeDeployment: idOrNull(model.activeIn(known, product, environment)),
        newestDeployment: idOrNull(own.at(-1)),
        state: worstOf(estate.flatMap(({ target, state }) => (target.environment === environment ? state : []))),
        promotions: byText(open.map(({ id }) => ({ id }))),
        rollbackChoices: model.rollbackChoices(known, product, environment).map(({ id }) => ({ id })),
      };
    }),
  };
};

const expectedMatrix = (known: model.Model) => {
  const estate = model.estateOf(known);
  return [...known.products, null].flatMap((product) => {
    const own = estate.filter(({ target }) => target.product === product);
    const current = known.environments.map((environment) => product && model.currentIn(known, product, environment));
    const released = current.flatMap((each) => each?.promotion.release.components.map(({ name }) => name) ?? []);
    const names = [...new Set([...own.map(({ component }) => component), ...released])];
    return names.map((component) => ({
      product: product && { id: product.id },
      component,
      cells: known.environments.map((environment, index) => {
        const rows = own.filter((each) => each.target.environment === environment && each.component === component);
        const deployment = current[index];
        const isPart = deployment?.promotion.release.components.some(({ name }) => name === component);
        return {
          environment: { id: environment.id },
          deployment: isPart ? idOrNull(deployment) : null,
          state: worstOf(rows.map(({ state }) => state)),
          targets: rows.filter(({ target }) => target.approved.has(component)).length,
        };
      }),
    }));
  });
};

const expectedCells = (known: model.Model, product: model.Product) =>
  expectedProduct(known, product).environments.map((environment) => {
    const versionIn = (deployment: { readonly id: string } | null) =>
      known.deployments.find(({ id }) => id === deployment?.id);
    const [current, newest] = [versionIn(environment.currentDeployment), versionIn(environment.newestDeployment)];
    const waiting = known.promotions.filter(({ id }) => environment.promotions.some((each) => each.id === id));
    const inState = (expected: string): number => waiting.filter(({ state }) => state === expected).length;
    return {
      environmentId: environment.environment.id,
      deploymentId: current?.id ?? null,
      semver: current?.promotion.release.semver ?? null,
      newestDeploymentId: newest?.id ?? null,
      newestStatus: newest?.state ?? null,
      state: environment.state?.toLowerCase() ?? null,
      pending: inState('pending'),
      approved: inState('approved'),
    };
  });

/** Compares what people read about every product: its path, what runs where, and what waits. */
const compareReads = async ({ app, as, known }: Tenant): Promise<void> => {
  const { data, errors } = await app.graph(READS, {}, { as: as('operator') });
  assert.equal(errors, undefined);
  const { products, environmentMatrix } = JSON.parse(JSON.stringify(data));
  for (const product of products) {
    product.targets = byText(product.targets);
    for (const step of product.path)
      Object.assign(step, { after: byText(step.after), targetLabels: byText(step.targetLabels) });
    for (const environment of product.environments) environment.promotions = byText(environment.promotions);
  }
  const live = known.products.filter(({ isRemoved }) => !isRemoved);
  assert.deepEqual(byText(products), byText(live.map((product) => expectedProduct(known, product))));
  assert.deepEqual(byText(environmentMatrix.rows), byText(expectedMatrix(known)));
  const { rows } = await app.module.portfolio.get(as('viewer'), {});
  assert.deepEqual(
    rows.map(({ product, cells }) => [product.id, cells]),
    live
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((product, nth) => [
        product.id,
        expectedCells(known, product).map((cell, index) => ({ ...rows[nth]?.cells[index], ...cell })),
      ]),
  );
};

const pushImages = ({ registry }: DeployingApp): Images => {
  const digests = new Map<string, string>();
  for (const repository of REPOSITORIES)
    for (const tag of TAGS) {
      // The same image in two repositories, as two products that share a component have it.
      const image = imageOf(`${repository.split('/').at(-1)} ${tag}`);
      registry.push(repository, image, tag);
      digests.set(`${repository}:${tag}`, image.digest);
    }
  return { digestOf: (repository, tag) => digests.get(`${repository}:${tag}`) ?? '' };
};

/** Takes this many random steps, in tenants of their own so that each begins with new products. */
export const walk = async (context: TestContext, steps: number): Promise<void> => {
  context.diagnostic(`MODEL_SEED=${seed}`);
  await using app = await deployingApp();
  await using watch = await watchRows(app);
  const images = pushImages(app);
  const outcomes = new Map<string, number>();
  const trail: string[] = [];
  try {
    for (let finished = 0, nth = 0; finished < steps; nth += 1) {
      const tenant = await createTenant(app, watch, nth);
      const choices = createChoices(seed + nth);
      await watch.changes();
      for (let step = 1; step <= STEPS_IN_TENANT && finished < steps; step += 1, finished += 1) {
        const run = nextAct(tenant, choices, images);
        trail.push(`${nth}.${step} ${run.says}: ${run.expected ?? 'done'}`);
        assert.equal(await codeOf(run), run.expected);
        compareChanges(tenant, run, await watch.changes());
        if (step % ROWS_EVERY === 0) await compareRows(tenant, watch);
        if (step % READS_EVERY === 0) await compareReads(tenant);
        const kind = `${run.says.split(' ')[0]} ${run.expected ?? 'done'}`;
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
      }
    }
  } catch (error) {
    throw new Error(`MODEL_SEED=${seed}, the last steps:\n${trail.slice(-30).join('\n')}`, { cause: error });
  }
  context.diagnostic(
    [...outcomes]
      .map(([kind, count]) => `${kind} ${count}`)
      .toSorted()
      .join(', '),
  );
  assert.deepEqual(app.bugs, []);
};
