import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, instant, integer, json } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { type DeployingApp, deployingApp, landedAt, leased, type TestAgent } from '../../testing/deploying-app.ts';

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;

/** Creates an agent with one target and a function that reports observations. */
const scenario = async (app: DeployingApp) => {
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  const { id } = await app.seed.target(environment, agent);
  const observation = (overrides: Readonly<Record<string, unknown>> = {}) => ({
    targetId: id,
    component: 'web',
    running: true,
    digest: digestOf('a'),
    reason: null,
    observedAt: app.deps.clock.now().toISOString(),
    ...overrides,
  });
  const report = (...observed: readonly object[]) => app.beat(agent, { observed });
  const target = () => app.module.targets.get(app.caller('viewer'), { id });
  return { environment, agent, id, seen: observation, say: report, target };
};

const removed = { running: false, digest: null, reason: 'the process is gone' };

const eventShape = table('kernel.events.told', {
  version: integer,
  data: json(Type.Record(Type.String(), Type.Unknown())),
});
const recordedEvents = (app: DeployingApp, type: string, id: string) =>
  app.rows(
    eventShape,
    sql`select version, data from kernel.events e where type = ${type} and entity_id = ${id} order by e.xid, id`,
  );

const health = async ({ target }: Pick<Awaited<ReturnType<typeof scenario>>, 'target'>) => (await target()).healthState;

test('a process that is gone makes its target unhealthy, and well again when it runs', async () => {
  await using app = await deployingApp();
  const { id, seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  assert.equal((await target()).healthState, 'healthy');
  await report(observation(removed));
  const unhealthy = await target();
  assert.deepEqual(
    [unhealthy.state, unhealthy.healthState, unhealthy.healthDetail],
    ['unhealthy', 'unhealthy', 'not running: web'],
  );
  await report(observation());
  const well = await target();
  assert.deepEqual([well.state, well.healthState, well.healthDetail], ['healthy', 'healthy', null]);
  const events = await recordedEvents(app, 'target.health', id);
  assert.deepEqual(
    events.map(({ data }) => [data.before, data.state]),
    [
      ['unknown', 'healthy'],
      ['healthy', 'unhealthy'],
      ['unhealthy', 'healthy'],
    ],
  );
  assert.equal(events.at(-1)?.version, well.version);
});

test('a process that runs is well, though nobody can tell what it is', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report, target } = await scenario(app);
  await report(observation({ digest: null, reason: 'no process file system on darwin' }));
  assert.equal(await health({ target }), 'healthy');
});

test('what three beats do not speak of is unknown', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  for (const expected of ['healthy', 'healthy', 'unknown']) {
    await app.clock.advance(10_000);
    await report();
    assert.equal(await health({ target }), expected);
  }
  assert.equal((await target()).healthDetail, 'not seen for 30 s: web');
  await report(observation());
  assert.equal(await health({ target }), 'healthy');
});

test('beats that change nothing are no events', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  const before = await target();
  await app.clock.advance(10_000);
  await report(observation());
  assert.equal((await target()).version, before.version);
});

test('the targets of an agent that is away are unknown until it is back', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  await app.clock.advance(40_000);
  await app.module.runOnce.watch();
  const unreachable = await target();
  assert.deepEqual(
    [unreachable.state, unreachable.healthState, unreachable.healthDetail],
    ['unknown', 'unknown', 'its agent does not report'],
  );
  await report(observation());
  assert.equal(await health({ target }), 'healthy');
});

test('a disabled target keeps its health, whatever is seen there', async () => {
  await using app = await deployingApp();
  const { id, seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  const { version: expectedVersion } = await target();
  await app.module.targets.disable(app.caller('operator'), { id, expectedVersion });
  await report(observation(removed));
  assert.deepEqual([(await target()).state, await health({ target })], ['disabled', 'healthy']);
});

test('what a landing replaced is no longer looked for', async () => {
  await using app = await deployingApp();
  const { environment, agent, seen: observation, say: report, target } = await scenario(app);
  await report(observation({ component: 'old' }));
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, landedAt(assignment));
  await report(observation());
  await app.clock.advance(30_000);
  await report(observation());
  assert.equal(await health({ target }), 'healthy');
});

const observationTimes = table('orchestrator.observations.kept', { observedAt: instant });
const observedAt = async (app: DeployingApp) =>
  (
    await app.rows(observationTimes, sql`select observed_at from orchestrator.observations`)
  )[0]?.observedAt.toISOString();

const observedDigest = async (app: DeployingApp) => {
  const { data } = await app.graph('{ targets { observations { digest } } }');
  return JSON.parse(JSON.stringify(data)).targets[0].observations[0]?.digest;
};

test('nothing is seen in the future, and nothing older takes the place of what is newer', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report } = await scenario(app);
  const now = app.deps.clock.now();
  const at = (ms: number): string => new Date(now.getTime() + ms).toISOString();
  await report(observation({ observedAt: at(365 * 24 * 3_600_000) }));
  assert.equal(await observedAt(app), at(0));
  await report(observation({ observedAt: at(-1), digest: digestOf('b') }));
  assert.deepEqual([await observedAt(app), await observedDigest(app)], [at(0), digestOf('a')]);
});

test('of a component that one beat names twice the last word counts', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report } = await scenario(app);
  await report(observation(), observation({ digest: digestOf('b') }));
  assert.equal(await observedDigest(app), digestOf('b'));
});

test('an agent cannot make a target grow: no more components are kept than a release can have', async () => {
  await using app = await deployingApp();
  const { seen: observation, say: report } = await scenario(app);
  const many = (name: string) => Array.from({ length: 40 }, (_, i) => observation({ component: `${name}-${i}` }));
  await report(...many('a'));
  await report(...many('b'));
  const rows = table('orchestrator.observations.count', { n: count });
  assert.deepEqual(await app.rows(rows, sql`select count(*) as n from orchestrator.observations`), [{ n: 64 }]);
});

test('another digest on a target is told once, under the target’s own version', async () => {
  await using app = await deployingApp();
  const { id, seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  await report(observation());
  await report(observation({ digest: digestOf('b') }));
  const events = await recordedEvents(app, 'target.observed', id);
  assert.deepEqual(
    events.map(({ data }) => data.observed),
    [[{ component: 'web', digest: digestOf('a') }], [{ component: 'web', digest: digestOf('b') }]],
  );
  assert.equal(events.at(-1)?.version, (await target()).version);
});

test('the word of an agent that took a target over counts, whatever the clock of the one before', async () => {
  await using app = await deployingApp();
  const { id, seen: observation, say: report, target } = await scenario(app);
  await report(observation());
  const next: TestAgent = await app.register();
  const { version: expectedVersion } = await target();
  await app.module.targets.assignAgent(app.caller('operator'), { targetId: id, agentId: next.id, expectedVersion });
  const earlier = new Date(app.deps.clock.now().getTime() - 60_000).toISOString();
  await app.beat(next, { observed: [observation({ digest: digestOf('b'), observedAt: earlier })] });
  assert.equal(await observedDigest(app), digestOf('b'));
});
