import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@landfall/agent/testing/free-port';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { needs } from '@landfall/kernel/testing/programs';
import { until } from '@landfall/kernel/testing/until';
import { buildFaulty, type LiveApp, liveApp } from '../../testing/live-app.ts';
import { startPrometheus } from '../../testing/prometheus.ts';

const needed = process.platform === 'linux' ? await needs('prometheus') : { skip: 'needs /proc' };

/** Query: share of errors among the candidate's answers; no value when it answered no request. */
const ERRORS = `(sum(rate(landfall_agent_requests_total{digest=~"{{digests}}",code=~"5.."}[3s])) or vector(0))
  / sum(rate(landfall_agent_requests_total{digest=~"{{digests}}"}[3s]))`;

/** Sends requests to every port in a loop and records each answer as `version status`. */
const startClient = (ports: readonly number[]) => {
  const requests: string[] = [];
  let isStopping = false;
  const ask = async (port: number): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    return `${await answer.text()} ${answer.status}`;
  };
  const loop = async (port: number): Promise<void> => {
    while (!isStopping) {
      requests.push(await ask(port).catch(String));
      await sleep(5);
    }
  };
  const loops = Promise.all(ports.map(loop));
  return {
    seen: requests,
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await loops;
    },
  };
};

const withdrawn = table('orchestrator.agent_tasks.withdrawn', { count });

/** Waits until the agent reports for both targets that the release was withdrawn. */
const expectRolledBack = async (app: LiveApp, id: string): Promise<void> => {
  const finished = sql`/* test */ select count(*) as count from orchestrator.agent_tasks
    where deployment_id = ${id} and action = 'withdraw' and state = 'succeeded'`;
  await until(async () => (await app.rows(withdrawn, finished))[0]?.count === 2);
};

/**
 * Creates two targets of an agent that Prometheus scrapes, and an environment with an analysis gate between canary
 * steps.
 */
const scenario = async (app: LiveApp, prometheus: string, metricsPort: number) => {
  const operator = app.caller('operator');
  const { id: integrationId } = await app.module.integrations.create(operator, {
    kind: 'metrics',
    name: 'Prometheus',
    baseUrl: prometheus,
  });
  const { probeOk } = await app.module.integrations.test(operator, { id: integrationId });
  assert.equal(probeOk, true);
  const environment = await app.seed.environment({
    requiredApprovals: 0,
    defaultStrategy: 'canary',
    strategyParams: { canarySteps: [40, 100], gate: 'analysis' },
    analysis: { integrationId, query: ERRORS, max: 0.05, intervalSeconds: 1, passes: 2, failures: 2 },
  });
  const agent = await app.startAgent('one', { env: { LANDFALL_AGENT_METRICS_PORT: String(metricsPort) } });
  const targets = [await app.target(environment, agent.id), await app.target(environment, agent.id)];
  const launch = async (version: string, faults: number, strategy?: string) => {
    const release = await app.release(version, buildFaulty(version, faults));
    const promotion = await app.seed.approved(release, environment);
    return app.module.deployments.launch(operator, { promotionId: promotion.id, strategy });
  };
  return { launch, ports: targets.map(({ port }) => port) };
};

const MEASUREMENTS = `query ($id: ID!) { deployment(id: $id) {
  failureAnatomy { stage category reason detail } measurements { phaseIndex value verdict detail } } }`;

const measured = async (app: LiveApp, id: string) => {
  const { data, errors } = await app.graph(MEASUREMENTS, { id }, { as: 'viewer' });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data)).deployment;
};

test('Prometheus opens the gate of a good canary, and halts a bad one back to what ran before', needed, async () => {
  const metricsPort = await freePort();
  await using prometheus = await startPrometheus([metricsPort]);
  await using app = await liveApp();
  const { launch, ports } = await scenario(app, prometheus.origin, metricsPort);
  const first = await launch('1.0.0', 0, 'all_at_once');
  await app.until(first.id, ({ state }) => state === 'completed');

  const good = await launch('1.1.0', 0);
  // Without requests there are no measurements, and the gate stays closed.
  const heldPhase = await app.until(good.id, async () => (await measured(app, good.id)).measurements.length === 1);
  assert.deepEqual([heldPhase.state, heldPhase.pauseReason], ['paused', 'traffic_gate']);
  await using client = startClient(ports);
  await app.until(good.id, ({ state }) => state === 'completed');
  const verdicts = (await measured(app, good.id)).measurements.map(({ verdict }: { verdict: string }) => verdict);
  assert.deepEqual([verdicts[0], verdicts.slice(-2)], ['UNKNOWN', ['PASS', 'PASS']]);
  assert.ok(!verdicts.includes('FAIL'));

  const bad = await launch('1.2.0', 40);
  await app.until(bad.id, ({ state }) => state === 'failed');
  const { failureAnatomy, measurements: against } = await measured(app, bad.id);
  assert.deepEqual(
    [failureAnatomy.stage, failureAnatomy.category, failureAnatomy.reason],
    ['traffic-gate', 'StrategyGateHalted', 'gate-halted'],
  );
  assert.match(failureAnatomy.detail, /is above 0.05/);
  assert.equal(against.filter(({ verdict }: { verdict: string }) => verdict === 'FAIL').length, 2);
  assert.equal(against.filter(({ phaseIndex }: { phaseIndex: number }) => phaseIndex > 0).length, 0);
  await expectRolledBack(app, bad.id);
  assert.ok(client.seen.includes('1.2.0 500') && client.seen.includes('1.1.0 200'), 'both had a share');
  const before = client.seen.length;
  await until(() => client.seen.length >= before + 300);
  // A request that was in progress at the switch may still be recorded.
  assert.deepEqual([...new Set(client.seen.slice(before + ports.length))], ['1.1.0 200']);
  assert.deepEqual(app.bugs, []);
});
