import assert from 'node:assert/strict';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { Environment } from '../catalogue/environments/environments.store.ts';
import * as measurements from '../running/analysis/measurements.store.ts';
import type { Deployment } from '../running/deployments/deployments.store.ts';
import {
  type DeployingApp,
  deployingApp,
  failedAt,
  landedAt,
  leased,
  type TestAgent,
} from '../testing/deploying-app.ts';

// Each query of this folder with its response (`.json`) and the statements it sends (`.sql`, by name), so that an N+1
// shows as a difference. Recorded again by `LANDFALL_RECORD=1 npm test -- '**/queries/*.test.ts'`.
const isRecording = process.env.LANDFALL_RECORD === '1';

let app: DeployingApp;
let variables: Readonly<Record<string, string>>;

/** Creates a drift on a target and accepts it. */
const drift = async (agent: TestAgent, targetId: string): Promise<void> => {
  const now = app.deps.clock.now();
  const observation = { targetId, component: 'web', running: true, digest: app.anyDigest, reason: null };
  await app.beat(agent, { observed: [{ ...observation, observedAt: now.toISOString() }] });
  const { items } = await app.module.estate.drift(app.caller('operator'), { filter: { state: 'drift' } });
  await app.module.estate.accept(app.caller('operator'), {
    observationId: items[0]?.id,
    seenDigest: app.anyDigest,
    reason: 'A fix by hand, until 1.4.1 is out.',
    expiresAt: new Date(now.getTime() + 86_400_000).toISOString(),
  });
};

const settings = async ({ id, version }: Environment, deploymentId: Deployment['id']): Promise<void> => {
  const { integrations, environments, secretProviders, variableSets } = app.module;
  const operator = app.caller('operator');
  const metrics = { kind: 'metrics', name: 'Metrics', baseUrl: 'https://metrics.example' };
  const { id: integrationId } = await integrations.create(operator, metrics);
  const analysis = { integrationId, query: 'errors{digest=~"{{digests}}"}', max: 0.05 };
  await environments.update(operator, { id, expectedVersion: version, analysis });
  const vault = { name: 'main', kind: 'vault_kv', address: 'https://vault.example:8200', token: 'hvs.token' };
  await secretProviders.create(operator, vault);
  const secret = { name: 'PASSWORD', secret: 'vault:main/shop/db#password' };
  for (const [expectedVersion, value] of ['info', 'debug'].entries())
    await variableSets.save(operator, {
      environmentId: id,
      expectedVersion,
      variables: [{ name: 'LOG', value }, secret],
    });
  const measured = [
    { value: null, verdict: 'unknown', detail: 'the query gave no data' },
    { value: 0.01, verdict: 'pass', detail: '0.01 is within its bounds' },
  ] as const;
  const tenant = toTenantId('acme');
  for (const each of measured)
    await app.deps.database.write(tenant, (tx) =>
      measurements.insert(tx, tenant, { deploymentId, phaseIndex: 0, ...each }),
    );
};

before(async () => {
  app = await deployingApp();
  const agent = await app.register();
  const [dev, prod] = [
    await app.seed.environment({ name: 'dev', requiredApprovals: 0 }),
    await app.seed.environment({ name: 'prod', requiredApprovals: 1 }),
  ];
  const targets = [];
  for (const environment of [dev, dev, dev, prod]) targets.push(await app.seed.target(environment, agent));
  const deploy = async (promotionId: string, results: (assignment: Awaited<ReturnType<typeof leased>>) => object) => {
    const deployment = await app.launch(promotionId);
    for (let i = 0; i < 3; i++) {
      const assignment = await leased(app, agent);
      await app.report(agent, assignment, 1, { step: 'pulled', bytes: 1024 });
      await app.report(agent, assignment, 2, results(assignment));
    }
    return deployment;
  };
  const first = await app.seed.ready();
  const landed = await deploy((await app.seed.approved(first, dev)).id, landedAt);
  await app.seed.promotion(first, prod);
  const second = await app.seed.ready();
  await deploy((await app.seed.approved(second, dev)).id, () => failedAt('probe-failed', 'HTTP 500'));
  await drift(agent, targets[0]?.id ?? '');
  await settings(prod, landed.id);
  variables = { releaseId: first.id, deploymentId: landed.id, digest: first.components[0]?.digest ?? '' };
});
after(() => app[Symbol.asyncDispose]());

const masked = (text: string): string => text.replace(/127\.0\.0\.1:\d+/g, 'registry.example');

/** Lists statement names with how often each was sent, alphabetically, since loaders run in parallel. */
const costOf = (statements: readonly (string | undefined)[]): string =>
  [...Map.groupBy(statements, (name) => name ?? 'unnamed')]
    .map(([name, sent]) => `${sent.length} × ${name}\n`)
    .toSorted((a, b) => a.slice(a.indexOf('×')).localeCompare(b.slice(b.indexOf('×'))))
    .join('');

const same = async (file: string, text: string): Promise<void> => {
  if (isRecording) await writeFile(file, text);
  assert.equal(text, await readFile(file, 'utf8'), basename(file));
};

for (const file of (await Array.fromAsync(glob('*.graphql', { cwd: import.meta.dirname }))).toSorted()) {
  test(`${file} has its answer, at its price`, async () => {
    const source = await readFile(join(import.meta.dirname, file), 'utf8');
    app.statements.length = 0;
    const { data, errors } = await app.graph(source, variables, { as: 'approver' });
    const cost = costOf(app.statements);
    assert.equal(errors, undefined);
    const stem = join(import.meta.dirname, basename(file, '.graphql'));
    await same(`${stem}.sql`, cost);
    await same(`${stem}.json`, masked(`${JSON.stringify(data, null, 2)}\n`));
  });
}
