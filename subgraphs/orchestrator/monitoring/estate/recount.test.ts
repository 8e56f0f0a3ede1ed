import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDigest } from '@landfall/kernel/crypto/digest';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import fc from 'fast-check';
import pg from 'pg';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { settle } from '../../running/observations/observations.ts';
import type { TestAgent } from '../../testing/deploying-app.ts';
import { type EstateApp, estateApp, unknown } from './estate.fixture.ts';
import { type EstateState, estateStates } from './estate-rule.ts';
import { type AgentFacts, components, type EstateModel, recount, type TargetFacts } from './recount.model.ts';

const RUNS = 60;
const STEPS = 14;
const names = ['api', 'web', 'miner'] as const;

const jobs = table('orchestrator.deployments.job', { id: text });

/** Creates releases with different components: one, two, and an image index. */
const releasesOf = async (app: EstateApp): Promise<Release[]> => {
  const image = (content: string) => buildImage({ layers: [[{ path: 'app', content }]] });
  const component = (name: string, tag: string) => {
    app.registry.push(`shop/${name}`, image(`${name} ${tag}`), tag);
    return { name, repository: app.registry.repository(`shop/${name}`), tag };
  };
  return [
    await app.seed.ready({ components: [component('web', 'one')] }),
    await app.seed.ready({ semver: '2.0.0', components: [component('api', 'two'), component('web', 'two')] }),
    (await app.indexed()).release,
  ];
};

/** Creates two environments, two targets, two agents, and a deployment for each release, since landings need one. */
const stageOf = async (app: EstateApp) => {
  const [one, two] = [await app.seed.environment(), await app.seed.environment()];
  const agents = [await app.register(), await app.register()] as const;
  const releases = await releasesOf(app);
  const productId = releases[0]?.productId;
  const targets = [
    await app.seed.target(one, agents[0], { productId }),
    await app.seed.target(one, agents[1], { productId }),
    await app.seed.target(two, agents[0], { productId }),
  ];
  for (const release of releases) await app.force.landing(release, one);
  const ids = await app.rows(jobs, sql`select id::text as id from orchestrator.deployments d order by d.id`);
  const digests = releases.flatMap((each) =>
    each.components.flatMap(({ digest, platforms }) => [digest ?? unknown, ...platforms.map((child) => child.digest)]),
  );
  const landings = releases.map((release, i) => ({ release, deploymentId: ids[i]?.id ?? '' }));
  return { app, agents, targets, landings, digests: [...new Set([unknown, ...digests])] };
};

type Stage = Awaited<ReturnType<typeof stageOf>>;

const secondsOf = ({ app }: Stage): number => app.deps.clock.now().getTime() / 1_000;

const rewind = async ({ app, agents, targets }: Stage): Promise<EstateModel> => {
  const client = new pg.Client(app.connection);
  await client.connect();
  await client.query(`truncate orchestrator.observations, orchestrator.approved_components, orchestrator.deviations;
    update orchestrator.agents set state = 'active', last_heartbeat_at = kernel.now()`);
  for (const { id, agentId } of targets)
    await client.query("update orchestrator.targets set state = 'enrolled', agent_id = $2 where id = $1", [
      id,
      agentId,
    ]);
  await client.end();
  const now = app.deps.clock.now().getTime() / 1_000;
  return {
    targets: targets.map(
      ({ id, environmentId, agentId }): TargetFacts => ({
        id,
        environment: environmentId,
        agent: agentId ?? '',
        isEnabled: true,
        approved: new Map(),
        seen: new Map(),
      }),
    ),
    agents: agents.map(({ id }): AgentFacts => ({ id, heartbeatAt: now })),
    deviations: [],
  };
};

interface Step {
  readonly name: string;
  run(stage: Stage, world: EstateModel & { readonly deviations: EstateModel['deviations'][number][] }): Promise<void>;
}

const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
};

const agentOf = ({ agents }: Stage, id: string): TestAgent =>
  at(
    agents.filter((each) => each.id === id),
    0,
  );

/** Step: a release lands on a target and its agent reports what runs. */
const land = (t: number, r: number, isAnnounced: boolean): Step => ({
  name: `land ${r} on ${t}${isAnnounced ? '' : ' untold'}`,
  async run(stage, model) {
    const facts = at(model.targets, t);
    const { release, deploymentId } = at(stage.landings, r);
    const landed = release.components.map(({ name, digest, platforms }) => ({
      name,
      observedDigest: isAnnounced ? (platforms[0]?.digest ?? digest) : null,
      reason: isAnnounced ? null : 'nobody can tell',
    }));
    const { id } = at(
      stage.targets.filter((each) => each.id === facts.id),
      0,
    );
    const caller = agentOf(stage, facts.agent).caller;
    const { tenant } = caller;
    assert.ok(tenant !== undefined);
    const deployment = {
      ...at(
        await stage.app.module.deployments
          .list(stage.app.caller('viewer'), {})
          .then((page) => page.items.filter((each) => each.id === deploymentId)),
        0,
      ),
    };
    await stage.app.deps.database.write(tenant, (tx) => settle(tx, { ...caller, tenant }, deployment, id, landed));
    facts.approved = new Map(
      release.components.map(({ name, digest, platforms }) => [
        name,
        {
          digest: digest ?? '',
          accepted: platforms.length > 0 ? platforms.map((child) => child.digest) : [digest ?? ''],
        },
      ]),
    );
    facts.seen.clear();
    for (const { name, observedDigest } of landed)
      facts.seen.set(name, { agent: facts.agent, running: true, digest: observedDigest, toldAt: secondsOf(stage) });
  },
});

/** Step: an agent sends a heartbeat with an observation of one component of each of its targets, or of none. */
const sendHeartbeat = (
  a: number,
  summary?: { readonly component: string; readonly running: boolean; readonly digest: number },
): Step => ({
  name: `beat ${a} ${JSON.stringify(summary)}`,
  async run(stage, model) {
    const agent = at(stage.agents, a);
    const now = secondsOf(stage);
    const own = summary ? model.targets.filter((each) => each.agent === agent.id) : [];
    const digest = summary === undefined || summary.digest === 0 ? null : at(stage.digests, summary.digest);
    await stage.app.beat(agent, {
      observed: own.map(({ id: targetId }) => ({
        targetId,
        component: summary?.component,
        running: summary?.running,
        digest,
        reason: digest === null ? 'nobody can tell' : null,
        observedAt: stage.app.deps.clock.now().toISOString(),
      })),
    });
    at(model.agents, a).heartbeatAt = now;
    for (const { seen: observation } of own)
      if (summary)
        observation.set(summary.component, { agent: agent.id, running: summary.running, digest, toldAt: now });
  },
});

/** Step: time passes and silence detection runs. */
const wait = (seconds: number): Step => ({
  name: `wait ${seconds} s`,
  async run({ app }) {
    await app.clock.advance(seconds * 1_000);
    await app.module.runOnce.watch();
  },
});

const disable = (t: number): Step => ({
  name: `disable ${t}`,
  async run({ app }, model) {
    const facts = at(model.targets, t);
    if (!facts.isEnabled) return;
    const { id, version } = await app.module.targets.get(app.caller('viewer'), { id: facts.id });
    await app.module.targets.disable(app.caller('operator'), { id, expectedVersion: version });
    facts.isEnabled = false;
  },
});

const reassign = (t: number, a: number): Step => ({
  name: `give ${t} to agent ${a}`,
  async run({ app, agents }, model) {
    const facts = at(model.targets, t);
    const { id, version } = await app.module.targets.get(app.caller('viewer'), { id: facts.id });
    const agentId = at(agents, a).id;
    await app.module.targets.assignAgent(app.caller('operator'), { targetId: id, agentId, expectedVersion: version });
    facts.agent = agentId;
  },
});

const accept = (days: number): Step => ({
  name: `accept for ${days} days`,
  async run(stage, model) {
    const { module, caller, deps } = stage.app;
    const { items } = await module.estate.drift(caller('operator'), { first: 200, filter: { state: 'drift' } });
    const row = items.find(({ observedDigest, deviation }) => observedDigest !== null && !deviation);
    if (!row || row.observedDigest === null) return;
    const expiresAt = new Date(deps.clock.now().getTime() + days * 86_400_000);
    const { id } = await module.estate.accept(caller('operator'), {
      observationId: row.id,
      seenDigest: row.observedDigest,
      reason: 'Agreed on for the test.',
      expiresAt: expiresAt.toISOString(),
    });
    model.deviations.push({
      id,
      target: row.targetId,
      component: row.component,
      digest: row.observedDigest,
      expiresAt: expiresAt.getTime() / 1_000,
      isRevoked: false,
    });
  },
});

const revoke = (d: number): Step => ({
  name: `revoke ${d}`,
  async run({ app }, { deviations }) {
    const open = deviations.filter(({ isRevoked }) => !isRevoked);
    if (open.length === 0) return;
    const deviation = at(open, d);
    await app.module.estate.revoke(app.caller('operator'), { id: deviation.id });
    deviation.isRevoked = true;
  },
});

const small = fc.nat({ max: 9 });
const summary = fc.record({ component: fc.constantFrom(...names), running: fc.boolean(), digest: small });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(small, small, fc.boolean()).map(([t, r, isAnnounced]) => land(t, r, isAnnounced)) },
  { weight: 6, arbitrary: fc.tuple(small, summary).map(([a, word]) => sendHeartbeat(a, word)) },
  { weight: 2, arbitrary: small.map((a) => sendHeartbeat(a)) },
  { weight: 4, arbitrary: fc.constantFrom(5, 10, 15, 29, 30, 31, 90_000).map(wait) },
  { weight: 1, arbitrary: small.map(disable) },
  { weight: 1, arbitrary: fc.tuple(small, small).map(([t, a]) => reassign(t, a)) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }).map(accept) },
  { weight: 1, arbitrary: small.map(revoke) },
);

const WORST: readonly EstateState[] = ['drift', 'unobserved', 'in_sync'];

const keyOf = ({ target, component }: { readonly target: string; readonly component: string }): string =>
  `${target}/${component}`;

const compare = async ({ app, digests }: Stage, model: EstateModel): Promise<void> => {
  const { estate } = app.module;
  const viewer = app.caller('viewer');
  const now = app.deps.clock.now().getTime() / 1_000;
  const counted = components(model, now);
  const figures = await estate.status(viewer, {});
  assert.deepEqual(figures, recount(model, now));

  const events = [];
  for (const state of estateStates)
    events.push(...(await estate.drift(viewer, { first: 200, filter: { state } })).items);
  const plain = events.map(
    ({
      targetId: target,
      environmentId: environment,
      component,
      state,
      approvedDigest,
      observedDigest,
      deviation,
    }) => ({
      target,
      environment,
      component,
      state,
      approvedDigest,
      observedDigest,
      deviation: deviation?.id ?? null,
    }),
  );
  const byKey = <T extends { readonly target: string; readonly component: string }>(rows: readonly T[]): T[] =>
    rows.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
  assert.deepEqual(byKey(plain), byKey(counted.map(({ accepted: _accepted, ...row }) => row)));
  const problems = await estate.drift(viewer, { first: 200 });
  assert.equal(problems.items.length, figures.drift + figures.unobserved);
  assert.equal(await estate.count(viewer, {}), problems.items.length);

  const cells = await estate.map(viewer, {});
  for (const { productId: _productId, environmentId, component, ...counts } of cells) {
    const own = counted.filter((each) => each.environment === environmentId && each.component === component);
    const inState = (expected: EstateState): number => own.filter(({ state }) => state === expected).length;
    assert.deepEqual(counts, {
      total: own.length,
      drift: inState('drift'),
      inSync: inState('in_sync'),
      unobserved: inState('unobserved'),
    });
  }
  assert.equal(
    cells.reduce((sum, { total }) => sum + total, 0),
    figures.total,
  );

  const { rows } = await estate.matrix(viewer, {});
  for (const row of rows)
    for (const cell of row.cells) {
      const own = counted.filter(
        (each) => each.environment === cell.environment.id && each.component === row.component,
      );
      assert.equal(cell.state, WORST.find((state) => own.some((each) => each.state === state)) ?? null);
    }

  for (const digest of digests.filter(isDigest)) {
    const found = (await estate.digest(viewer, { digest })).locations.map(({ targetId: target, component }) =>
      keyOf({ target, component }),
    );
    const running = counted.filter(
      ({ observedDigest, approvedDigest, accepted }) =>
        observedDigest === digest ||
        (approvedDigest === digest && observedDigest !== null && accepted.includes(observedDigest)),
    );
    assert.deepEqual(found.toSorted(), running.map(keyOf).toSorted());
  }
};

// spec: 2.10/estate-status, 3/estate-unobserved
test('whatever happens in an estate, every count of it is what a recount by hand finds', async () => {
  await using app = await estateApp();
  const stage = await stageOf(app);
  const tags = new Set<string>();
  const history = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: STEPS }), async (steps) => {
    const model = { ...(await rewind(stage)), deviations: [] };
    for (const each of steps) {
      await app.clock.advance(1_000);
      await each.run(stage, model);
      const { total, drift, inSync, unobserved, deviations } = recount(model, secondsOf(stage));
      assert.equal(total, drift + inSync + unobserved);
      for (const [name, count] of Object.entries({ drift, inSync, unobserved, deviations }))
        if (count > 0) tags.add(name);
      assert.deepEqual(await app.status(), recount(model, secondsOf(stage)), each.name);
    }
    await compare(stage, model);
  });
  await fc.assert(history, { numRuns: RUNS });
  assert.deepEqual([...tags].toSorted(), ['deviations', 'drift', 'inSync', 'unobserved'], 'every kind came about');
  assert.deepEqual(app.bugs, []);
});
