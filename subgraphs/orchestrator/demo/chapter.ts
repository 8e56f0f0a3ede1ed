import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoAccounts, DemoChapter, DemoState, GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { type Agents, createAgents } from './agents.ts';
import { openBuilder, submitAs } from './builder.ts';
import { createRelease, deploy, type Environment, makeReady, promote, shop } from './deployments.ts';
import { awaitLinks, type Evidence, prove, trustDemoBuilder } from './evidence.ts';
import { type DemoRegistry, openRegistry, PAYMENT_KEY_PREFIX, REGISTRY_USER, repositories } from './images.ts';
import { haltCanary, linkOf, rollBack, SLOT, simulateManualChange } from './incidents.ts';
import { addSecondProduct } from './second-product.ts';

/** Programs beside the server: registry, builder and agents. */
interface Surroundings {
  readonly agents: Agents;
  readonly memory: DemoState;
  readonly registry: DemoRegistry;
  /** Returns the state directory of an agent. */
  stateOf(agent: string): string;
}

const Id = Type.Object({ id: Type.String() });
const Agent = Type.Object({ id: Type.String(), name: Type.String(), state: Type.String() });

export const AGENTS = ['harbour-1', 'harbour-2'] as const;
type AgentName = (typeof AGENTS)[number];

const PAYMENT_SECRET = 'shop/payment-key';

/** Starts the agents; `admin` opens an administrator's session, only when an agent must register. */
export const startAgents = async (admin: () => Promise<GraphSession>, agents: Agents): Promise<void> => {
  const tokenOf = async (name: AgentName): Promise<string> => {
    const shape = Type.Object({ createRegistrationToken: Type.Object({ value: Type.String() }) });
    const document = 'mutation ($name: String!) { createRegistrationToken(input: { name: $name }) { value } }';
    const { createRegistrationToken } = await (await admin()).ask(document, { name }, shape);
    return createRegistrationToken.value;
  };
  for (const name of AGENTS) await agents.start(name, () => tokenOf(name));
};

const activeAgent = (admin: GraphSession, name: AgentName): Promise<string> =>
  until(`agent ${name}`, async () => {
    const { agents } = await admin.ask('{ agents { id name state } }', {}, Type.Object({ agents: Type.Array(Agent) }));
    return agents.find((agent) => agent.name === name && agent.state === 'ACTIVE')?.id;
  });

const integrate = async (admin: GraphSession, { registry, memory }: Surroundings): Promise<void> => {
  const credentials = { username: REGISTRY_USER, password: await memory.secret('registry') };
  const input = { kind: 'REGISTRY', name: 'Demo registry', baseUrl: registry.origin, ...credentials };
  const { id } = await runAction(admin, { mutation: 'createIntegration', key: 'registry', input }, Id);
  await runAction(admin, { mutation: 'testIntegration', key: 'registry', input: { id } }, Id);
};

/**
 * Creates the promotion path: dev needs no approval, staging one and prod two, none of them by the release's author.
 */
const createPath = async (admin: GraphSession) => {
  const create = async (name: string, policy: object): Promise<Environment> => {
    const input = { name, ...policy };
    const { id } = await runAction(admin, { mutation: 'createEnvironment', key: name, input }, Id);
    return { id, name };
  };
  return {
    dev: await create('dev', { orderIndex: 10, stageKind: 'DEV', requiredApprovals: 0 }),
    staging: await create('staging', { orderIndex: 20, stageKind: 'STAGE', requiredApprovals: 1 }),
    prod: await create('prod', {
      orderIndex: 30,
      stageKind: 'PROD',
      requiredApprovals: 2,
      separationOfDuties: 'AUTHOR',
    }),
  };
};

type Path = Awaited<ReturnType<typeof createPath>>;

/** Creates a target whose files are served by a web server that the platform does not manage. */
const createFiles = async (
  admin: GraphSession,
  { id: environmentId, name }: Environment,
  agentId: string,
): Promise<string> => {
  const input = { environmentId, name: `${name}-files`, driver: 'STATIC_SLOT', agentId, config: { slot: SLOT } };
  return (await runAction(admin, { mutation: 'createTarget', key: input.name, input }, Id)).id;
};

/** Creates five targets. Targets with live payments get the payment key from a sealed secret. */
const createTargets = async (admin: GraphSession, { dev, staging, prod }: Path, { memory }: Surroundings) => {
  const value = `${PAYMENT_KEY_PREFIX}${await memory.secret('payment')}`;
  const Name = Type.Object({ name: Type.String() });
  const input = { name: PAYMENT_SECRET, value };
  await runAction(admin, { mutation: 'saveSecret', key: 'payment', input }, Name);

  const create = async (environment: Environment, nth: number, agent: AgentName, secretRefs: readonly object[]) => {
    const name = `${environment.name}-${nth}`;
    const port = await memory.port(name, Object.keys(repositories).length);
    const input = {
      environmentId: environment.id,
      name,
      driver: 'PROCESS',
      agentId: await activeAgent(admin, agent),
      config: { port, probePath: '/healthz' },
      secretRefs,
    };
    return (await runAction(admin, { mutation: 'createTarget', key: name, input }, Id)).id;
  };
  const payments = [{ variable: 'PAYMENT_KEY', secret: PAYMENT_SECRET }];
  await create(dev, 1, 'harbour-1', []);
  const filesTargetId = await createFiles(admin, dev, await activeAgent(admin, 'harbour-2'));
  const staged = await create(staging, 1, 'harbour-1', payments);
  await create(prod, 1, 'harbour-1', payments);
  await create(prod, 2, 'harbour-2', payments);
  return { targetId: staged, filesTargetId };
};

const Probed = Type.Object({
  target: Type.Object({
    version: Type.Integer(),
    config: Type.Object({ port: Type.Integer(), probePath: Type.String(), probeTimeoutSeconds: Type.Integer() }),
  }),
});
const SHORT_PROBE_SECONDS = 5;

/**
 * Shortens the health probe of a target whose next release never passes it. Others have as long as a busy machine needs
 * to start them.
 */
const shortenProbe = (admin: GraphSession, id: string): Promise<true> =>
  until('a shorter probe', async () => {
    const document = 'query ($id: ID!) { target(id: $id) { version config { port probePath probeTimeoutSeconds } } }';
    const { target } = await admin.ask(document, { id }, Probed);
    if (target.config.probeTimeoutSeconds === SHORT_PROBE_SECONDS) return true;
    const config = { ...target.config, probeTimeoutSeconds: SHORT_PROBE_SECONDS };
    const input = { id, expectedVersion: target.version, config };
    await runAction(admin, { mutation: 'updateTarget', key: 'probe', input }, Id).catch((error: unknown) => {
      // An observation of the target is a version, too: the next turn reads it.
      if (!String(error).includes('RES_VERSION_CONFLICT')) throw error;
    });
    return undefined;
  });

const createOther = async (admin: GraphSession, context: Surroundings) => {
  await integrate(admin, context);
  const input = { name: 'live', orderIndex: 10, stageKind: 'PROD' };
  const environment = await runAction(admin, { mutation: 'createEnvironment', key: 'live', input }, Id);
  const releaseId = await makeReady(admin, {
    name: 'site',
    semver: '1.0.0',
    notes: 'Nobody at Acme sees this.',
    components: [{ name: 'site', repository: context.registry.repository(repositories.site), tag: '1.0.0' }],
  });
  return { otherTenantEnvironmentId: environment.id, otherTenantReleaseId: releaseId };
};

/**
 * Plays the release story of the shop. 1.0.0 runs everywhere. 1.0.1 goes to prod as a canary, which Rosa halts at its
 * gate, and is rolled back in staging. 1.1.0 works where there are no payments and fails its health probe where there
 * are. 1.2.0 fixes that and waits for approval, but on one target of dev the files of 1.1.0 were restored by hand.
 * 1.3.0 is a draft. Books 1.1.0 is created by the push of its image. The builder signed every image except that of 1.1.0; the landings of 1.0.0 in dev and staging are
 * verified, and the one in prod is not verified yet.
 */
const release = async (
  { admin, manager, approver, otherAdmin }: DemoAccounts,
  context: Surroundings,
  evidence: Evidence,
): Promise<Record<string, string>> => {
  const { agents, registry } = context;
  await startAgents(async () => admin, agents);
  await integrate(admin, context);
  const path = await createPath(admin);
  const { targetId, filesTargetId } = await createTargets(admin, path, context);
  const { dev, staging, prod } = path;
  await trustDemoBuilder(admin, evidence);

  const first = await makeReady(manager, shop(registry, '1.0.0', { web: '1.0.0', api: '1.0.0' }, 'The shop opens.'));
  const opening = { releaseId: first, reason: 'The shop opens' };
  const firstLandingId = await deploy(manager, { ...opening, to: dev, approvers: [] }, 'VERIFIED');
  const deploymentId = await deploy(manager, { ...opening, to: staging, approvers: [approver] }, 'VERIFIED');
  await deploy(manager, { ...opening, to: prod, approvers: [approver, admin] }, 'VERIFIED');

  const slow = await makeReady(
    manager,
    shop(registry, '1.0.1', { web: '1.0.1', api: '1.0.0' }, 'A page with pictures.'),
  );
  const pictures = { releaseId: slow, reason: 'Product pictures' };
  await deploy(manager, { ...pictures, to: dev, approvers: [] }, 'VERIFIED');
  const rolledBackDeploymentId = await deploy(manager, { ...pictures, to: staging, approvers: [approver] }, 'VERIFIED');
  const haltedDeploymentId = await haltCanary(manager, { ...pictures, to: prod, approvers: [approver, admin] });
  const rollbackDeploymentId = await rollBack(manager, staging, 'The pictures take four seconds to load');

  const unhealthy = await makeReady(
    manager,
    shop(registry, '1.1.0', { web: '1.0.0', api: '1.1.0' }, 'Reads the new payment keys.'),
  );
  const payments = { releaseId: unhealthy, reason: 'New payment keys' };
  await deploy(manager, { ...payments, to: dev, approvers: [] }, 'VERIFIED');
  await shortenProbe(admin, targetId);
  const failedDeploymentId = await deploy(manager, { ...payments, to: staging, approvers: [approver] }, 'FAILED');

  const next = await makeReady(
    manager,
    shop(registry, '1.2.0', { web: '1.2.0', api: '1.2.0' }, 'Reads the payment keys that we have, and a new page.'),
  );
  const fixing = { releaseId: next, reason: 'Fixes the payments that 1.1.0 broke' };
  const link = linkOf(context.stateOf('harbour-2'));
  const former = await readlink(link);
  await deploy(manager, { ...fixing, to: dev, approvers: [] }, 'VERIFIED');
  await simulateManualChange(manager, { link, former, targetId: filesTargetId });
  const promotionId = await promote(manager, { ...fixing, to: staging, approvers: [] });

  await prove(manager, firstLandingId);
  const attestationRef = await prove(manager, deploymentId);
  await awaitLinks(manager, first, 'SOURCE', 'BUILD', 'DEPLOY');

  const draft = await createRelease(
    manager,
    shop(registry, '1.3.0', { web: '1.3.0', api: '1.2.0' }, 'A page for autumn.'),
  );
  const books = await addSecondProduct(
    { admin, manager, approver },
    { dev, staging, prod, registry, agentId: await activeAgent(admin, 'harbour-2') },
  );
  return {
    ...books,
    releaseId: first,
    deploymentId,
    attestationRef,
    failedDeploymentId,
    haltedDeploymentId,
    rolledBackDeploymentId,
    rollbackDeploymentId,
    driftedTargetId: filesTargetId,
    environmentId: staging.id,
    devEnvironmentId: dev.id,
    prodEnvironmentId: prod.id,
    targetId,
    waitingReleaseId: next,
    promotionId,
    draftReleaseId: draft.id,
    ...(await createOther(otherAdmin, context)),
  };
};

export const orchestratorChapter: DemoChapter = {
  order: 30,
  async open(stage) {
    const { baseUrl, directory, memory, running } = stage;
    const registry = running.use(await openRegistry({ memory, directory: join(directory, 'pushes') }));
    const builder = await openBuilder({ memory, registry, directory: join(directory, 'statements') });
    const stateDirectory = join(directory, 'agents');
    const agents = running.use(createAgents({ ...stage, directory: stateDirectory }));
    const context = { agents, memory, registry, stateOf: (agent: string) => join(stateDirectory, agent) };
    return {
      create: (accounts) =>
        release(accounts, context, {
          registry,
          builder,
          trustedRoot: async () => (await fetch(new URL('/tlog/trusted_root.json', baseUrl))).text(),
          submit: submitAs(stage, accounts.client('operator')),
        }),
      resume: (admin) => startAgents(admin, agents),
    };
  },
};
