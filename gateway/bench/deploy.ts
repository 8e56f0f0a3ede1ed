// Deployments and rollbacks of a small service by a real agent. Measures the overhead of the product: from the launch
// to the verified landing, less the time from the service's start to its first successful response.
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import Type from 'typebox';
import { type BenchClient, visit } from './bench-client.ts';
import { benchDirectory } from './bench-host.ts';
import { createReport } from './figure.ts';
import { createHome, startProduct } from './product-process.ts';
import { quantile } from './statistics.ts';

const DEPLOYMENTS = 24;
const ROLLBACKS = 24;
/** Deployments before the measurement, which fill caches. */
const WARM_UP = 3;

const Id = Type.Object({ id: Type.String() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Integer() });
const Agents = Type.Object({ agents: Type.Array(Type.Object({ id: Type.String(), state: Type.String() })) });
const Ended = Type.Object({
  deployment: Type.Object({
    status: Type.String(),
    landingVerification: Type.Union([Type.String(), Type.Null()]),
    createdAt: Type.String(),
    completedAt: Type.Union([Type.String(), Type.Null()]),
    targets: Type.Array(
      Type.Object({
        timeline: Type.Array(
          Type.Object({ step: Type.String(), detail: Type.Union([Type.String(), Type.Null()]), at: Type.String() }),
        ),
      }),
    ),
  }),
});

const QUERY = `query ($id: ID!) {
  deployment(id: $id) { status landingVerification createdAt completedAt targets { timeline { step detail at } } }
}`;

interface Environment {
  readonly visitor: BenchClient;
  readonly environmentId: string;
  readonly registry: Awaited<ReturnType<typeof startRegistry>>;
}

const settle = async (consoleUser: BenchClient, registry: Environment['registry']): Promise<Environment> => {
  const integration = { kind: 'REGISTRY', name: 'Bench registry', baseUrl: registry.origin };
  await consoleUser.act('createIntegration', integration, 'id', Id);
  const environment = { name: 'bench', orderIndex: 5, stageKind: 'DEV', requiredApprovals: 0 };
  const { id: environmentId } = await consoleUser.act('createEnvironment', environment, 'id', Id);
  const { agents } = await consoleUser.ask('{ agents { id state } }', {}, Agents);
  const agentId = agents.find(({ state }) => state === 'ACTIVE')?.id;
  // The services of the demo keep the ports below 30 000.
  const config = { port: 30_000 + (process.pid % 2_000), probePath: '/healthz', probeTimeoutSeconds: 10 };
  await consoleUser.act('createTarget', { environmentId, name: 'bench', driver: 'PROCESS', agentId, config }, 'id', Id);
  return { visitor: consoleUser, environmentId, registry };
};

const approvedRelease = async (
  { visitor: consoleUser, environmentId, registry }: Environment,
  semver: string,
): Promise<string> => {
  registry.push('bench/web', buildApp({ version: semver }), semver);
  const components = [{ name: 'web', repository: registry.repository('bench/web'), tag: semver }];
  const draft = await consoleUser.act('createRelease', { name: 'bench', semver, components }, 'id version', Versioned);
  const finalize = { id: draft.id, expectedVersion: draft.version };
  const finalized = await consoleUser.act('finalizeRelease', finalize, 'id version', Versioned);
  await consoleUser.act('markReleaseReady', { id: draft.id, expectedVersion: finalized.version }, 'id', Id);
  const request = { releaseId: draft.id, targetEnvironmentId: environmentId, reason: 'To be measured' };
  return (await consoleUser.act('requestPromotion', request, 'id', Id)).id;
};

/** Follows a deployment as the console does: reads it again after each change notice. */
const completed = async (consoleUser: BenchClient, id: string) => {
  for (;;) {
    const changed = consoleUser.change(id);
    const { deployment } = await consoleUser.ask(QUERY, { id }, Ended);
    if (['COMPLETED', 'FAILED'].includes(deployment.status)) return deployment;
    await changed;
  }
};

/** Time from process start to the first healthy answer, as the agent reported it. */
const startUpOf = ({ targets }: Awaited<ReturnType<typeof completed>>): number => {
  const [timeline] = targets.map((target) => target.timeline);
  const detail = timeline?.find(({ step }) => step === 'probed')?.detail ?? '';
  const ms = Number(/ in (\d+) ms/.exec(detail)?.[1]);
  if (Number.isNaN(ms)) throw new Error(`no time in the probe's detail: ${detail}`);
  return ms;
};

/** Time from the request to the verified landing, without the start of the service. */
const measured = async (consoleUser: BenchClient, mutation: string, input: object) => {
  const startedMs = performance.now();
  const { id } = await consoleUser.act(mutation, input, 'id', Id);
  const deployment = await completed(consoleUser, id);
  const elapsedMs = performance.now() - startedMs;
  const { landingVerification, createdAt, completedAt } = deployment;
  if (landingVerification !== 'VERIFIED') throw new Error(`${mutation} ${id} ended ${landingVerification}`);
  const startUpMs = startUpOf(deployment);
  const wholeMs = Date.parse(completedAt ?? '') - Date.parse(createdAt);
  return { id, startUpMs, overheadMs: wholeMs - startUpMs, seenMs: elapsedMs - startUpMs };
};

const deploy = async (ids: Environment, nth: number) => {
  const promotionId = await approvedRelease(ids, `1.0.${nth}`);
  return measured(ids.visitor, 'launchDeployment', { promotionId });
};

/** Rolls back to the previous release, which is still on the agent's disk; the next rollback returns. */
const rollBack = ({ visitor: consoleUser, environmentId }: Environment, toDeploymentId: string | undefined) =>
  measured(consoleUser, 'rollbackEnvironment', { environmentId, toDeploymentId, reason: 'To be measured' });

await using directory = await benchDirectory();
await using registry = await startRegistry();
await using product = await startProduct(await createHome(directory.path));
const consoleUser = await visit(await product.waitForCredentials());
const ids = await settle(consoleUser, registry);
const all: Awaited<ReturnType<typeof deploy>>[] = [];
for (let nth = 0; nth < WARM_UP + DEPLOYMENTS; nth++) all.push(await deploy(ids, nth));
const back = all.slice(-2);
for (let nth = 0; nth < ROLLBACKS; nth++) back.push(await rollBack(ids, back.at(-2)?.id));
await consoleUser.leave();

const counted = all.slice(WARM_UP);
const { tell } = createReport('deploy');
const overheads = counted.map(({ overheadMs }) => overheadMs);
tell('launch to verified landing, beyond spawn to probe green, p95', quantile(overheads, 0.95), 'ms', { atMost: 150 });
tell('launch to verified landing, beyond spawn to probe green, p50', quantile(overheads, 0.5), 'ms');
const rollbacks = back.slice(2).map(({ overheadMs }) => overheadMs);
tell('rollback to verified landing, beyond spawn to probe green, p95', quantile(rollbacks, 0.95), 'ms', {
  atMost: 150,
});
tell('rollback to verified landing, beyond spawn to probe green, p50', quantile(rollbacks, 0.5), 'ms');
const times = counted.map(({ seenMs: elapsedMs }) => elapsedMs);
tell('the same until a watcher of the change feed has read it, p95', quantile(times, 0.95), 'ms');
tell('the same until a watcher of the change feed has read it, p50', quantile(times, 0.5), 'ms');
const startUps = counted.map(({ startUpMs }) => startUpMs);
tell('spawn to probe green, p50', quantile(startUps, 0.5), 'ms');
