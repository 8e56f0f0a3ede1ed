import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { completeAllTasks } from '../../testing/complete-tasks.ts';
import { type DeployingApp, deployingApp } from '../../testing/deploying-app.ts';
import { startMetricsServer, vector } from '../../testing/metrics-server.ts';

const INTERVAL_MS = 10_000;
const QUERY =
  'errors{id="{{deployment}}",env="{{environment}}",release="{{release}}",digest=~"{{digests}}"} # {{digests}}';

/** Starts a canary on two targets that waits at its first gate, and a metrics server whose answers the test chooses. */
const canary = async (overrides: Readonly<Record<string, unknown>> = {}) => {
  await using stack = new AsyncDisposableStack();
  const metrics = stack.use(await startMetricsServer());
  const app = stack.use(await deployingApp());
  const operator = app.caller('operator');
  const { id: integrationId } = await app.module.integrations.create(operator, {
    kind: 'metrics',
    name: 'Metrics',
    baseUrl: metrics.origin,
  });
  const environment = await app.seed.environment({
    name: 'prod.eu-1',
    requiredApprovals: 0,
    defaultStrategy: 'canary',
    strategyParams: { canarySteps: [10, 100], gate: 'analysis' },
    analysis: { integrationId, query: QUERY, max: 0.05, passes: 2, failures: 1, ...overrides },
  });
  const agent = await app.register();
  for (let i = 0; i < 2; i++) await app.seed.target(environment, agent);
  const release = await app.seed.ready();
  const { id } = await app.launch((await app.seed.approved(release, environment)).id);
  await completeAllTasks(app, agent);
  const resources = stack.move();
  return {
    ...app,
    metrics,
    environment,
    release,
    agent,
    read: () => app.module.deployments.get(operator, { id }),
    /** Moves the clock by one analysis interval and runs the runner once. */
    async ask() {
      await app.clock.advance(INTERVAL_MS);
      await app.module.runOnce.runner();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const measurements = async (app: DeployingApp, id: string) => {
  const source = 'query ($id: ID!) { deployment(id: $id) { measurements { phaseIndex value verdict detail } } }';
  const { data, errors } = await app.graph(source, { id }, { as: 'viewer' });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data)).deployment.measurements;
};

test('so many passes in a row open the gate, and the deployment goes on to its end', async () => {
  await using app = await canary();
  app.metrics.answers(200, vector('0.01'));
  await app.ask();
  const { id, state, pauseReason } = await app.read();
  assert.deepEqual([state, pauseReason], ['paused', 'traffic_gate']);
  const digest = app.release.components[0]?.digest?.slice('sha256:'.length, 'sha256:'.length + 12);
  assert.equal(
    app.metrics.query(),
    `errors{id="${id}",env="prod.eu-1",release="shop ${app.release.semver}",digest=~"${digest}"} # {{digests}}`,
  );
  await app.ask();
  await completeAllTasks(app, app.agent);
  assert.equal((await app.read()).state, 'completed');
  const pass = { phaseIndex: 0, value: 0.01, verdict: 'PASS', detail: '0.01 is within its bounds' };
  assert.deepEqual(await measurements(app, id), [pass, pass]);
});

test('so many fails halt it: the deployment fails at its gate, and its targets are told to take it back', async () => {
  await using app = await canary();
  app.metrics.answers(200, vector('0.01', '0.2'));
  await app.ask();
  const { id, state, anatomy } = await app.read();
  assert.deepEqual(
    [state, anatomy?.stage, anatomy?.category, anatomy?.reason, anatomy?.detail],
    ['failed', 'traffic-gate', 'StrategyGateHalted', 'gate-halted', '0.2 is above 0.05, the worst of 2 series'],
  );
  const finished = await completeAllTasks(app, app.agent);
  assert.deepEqual(
    finished.map(({ task }) => task.action),
    ['withdraw', 'withdraw'],
  );
  assert.equal((await measurements(app, id)).length, 1);
});

const measures = table('kernel.events.measures', { count });

test('a gate with nothing but unknowns stays closed however long it waits, until somebody passes it', async () => {
  await using app = await canary();
  app.metrics.answers(503, '');
  for (let i = 0; i < 20; i++) await app.ask();
  app.metrics.answers(200, vector());
  for (let i = 0; i < 20; i++) await app.ask();
  const { id, state, pauseReason } = await app.read();
  assert.deepEqual([state, pauseReason], ['paused', 'traffic_gate']);
  const known = await measurements(app, id);
  assert.deepEqual(
    known.map(({ verdict, value }: { verdict: string; value: unknown }) => [verdict, value]),
    [
      ['UNKNOWN', null],
      ['UNKNOWN', null],
    ],
    'a word that is only repeated is kept once',
  );
  const events = sql`select count(*) as count from kernel.events where type = 'deployment.measure'`;
  assert.equal((await app.rows(measures, events))[0]?.count, 2);
  await app.module.deployments.advancePhase(app.caller('operator'), { id, phaseIndex: 0 });
  await completeAllTasks(app, app.agent);
  assert.equal((await app.read()).state, 'completed');
});

test('an unknown between two passes ends their row, and is no fail', async () => {
  await using app = await canary();
  for (const values of [['0.01'], ['NaN'], ['0.01']]) {
    app.metrics.answers(200, vector(...values));
    await app.ask();
  }
  assert.equal((await app.read()).state, 'paused');
  await app.ask();
  await completeAllTasks(app, app.agent);
  assert.equal((await app.read()).state, 'completed');
});

test('an analysis that is taken away while a gate waits leaves it to a person', async () => {
  await using app = await canary();
  const { id: environmentId } = app.environment;
  const operator = app.caller('operator');
  await app.module.environments.update(operator, {
    id: environmentId,
    expectedVersion: 1,
    analysis: null,
    strategyParams: { gate: 'manual' },
  });
  app.metrics.answers(200, vector('0.01'));
  for (let i = 0; i < 4; i++) await app.ask();
  const { id, state } = await app.read();
  assert.deepEqual([state, await measurements(app, id)], ['paused', []]);
  const count = sql`select count(*) as count from orchestrator.deployments where next_check_at is not null`;
  assert.equal((await app.rows(measures, count))[0]?.count, 0, 'nobody looks at it any more');
  const source = 'query ($id: ID!) { deployment(id: $id) { targets { timeline { step detail } } } }';
  const { data } = await app.graph(source, { id }, { as: 'viewer' });
  const [first] = JSON.parse(JSON.stringify(data)).deployment.targets;
  const remaining = first.timeline.filter(({ step }: { step: string }) => step === 'left');
  assert.deepEqual(
    remaining.map(({ detail }: { detail: string }) => detail),
    ['the analysis of the environment was taken away; the gate waits for a person'],
  );
  await app.module.deployments.advancePhase(operator, { id, phaseIndex: 0 });
  await completeAllTasks(app, app.agent);
  assert.equal((await app.read()).state, 'completed');
});
