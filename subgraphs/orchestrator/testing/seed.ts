import type { Caller } from '@landfall/kernel/core/caller';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import { caller } from '@landfall/kernel/testing/callers';
import { callerOf } from '@landfall/kernel/testing/operations';
import { until } from '@landfall/kernel/testing/until';
import type { Orchestrator } from '../index.ts';

/** Text in every name that the owner's seeds use. */
const mark = 'acme-only';

/** Waits for the first signed and logged statement about a release; a worker may sign it at the same time. */
const firstStatement = ({ custody, runOnce }: Orchestrator, owner: Caller, releaseId: string): Promise<string> =>
  until(async () => {
    await runOnce.attestor();
    const { steps } = await custody.get(owner, { releaseId });
    const found = steps.flatMap(({ statements }) => statements).find(({ attestationId }) => attestationId !== null);
    return found?.attestationId;
  });

/** Certificate request of a throwaway key (PKCS #10, P-256). */
const CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHJMHICAQAwEDEOMAwGA1UEAxMFYWdlbnQwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAR4WmHcbqZYjD9KGKkR/7jzMJe0yBLr+8gChbYb48o0EGGPPq3eP3KJLQ+j
UOgAvyU6uzPdyvraBuIueF+Sh9vloAAwCgYIKoZIzj0EAwIDRwAwRAIgfJTyAJ9d
ZXEo1m9JlziDcglRRFJKBb6ttPRVGgPraisCIBzzXAnKD7N6BOf0i7KC8/83DcHs
oSnQiSqQLb48jv9Y
-----END CERTIFICATE REQUEST-----`;

/** Public key of a throwaway image signer (Ed25519). */
const SIGNER = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----`;

/** Secret part of `lfa_<secret>.<pin>`, which the agent sends. */
const secretOf = (token: string): string => /^lfa_([^.]+)\./.exec(token)?.[1] ?? token;

/** Registers an agent, and returns it with input for another registration or renewal. */
const agentOf = async (orchestrator: Orchestrator, { deps, owner }: SeedContext) => {
  const call = callerOf(orchestrator.operations);
  const registration = async (name: string): Promise<object> => ({
    token: secretOf((await orchestrator.agents.createToken(owner, { name })).value),
    csr: CSR,
    name,
    version: '1.0.0',
    capabilities: { process: '1' },
    hostFacts: { platform: 'linux/amd64', hostname: mark, cpus: 1 },
    clock: deps.clock.now().toISOString(),
  });
  const registering = caller({ subject: 'registration', kind: 'agent' });
  const { agentId } = await call('agent.register', registering, await registration(mark));
  return {
    id: String(agentId),
    inputs: { 'agent.register': await registration(`${mark}-2`), 'agent.renewCertificate': { csr: CSR } },
  };
};

const releaseOf = async ({ releases }: Orchestrator, { registry, owner }: SeedContext, tag: string) => {
  registry.pushImage('shop/web', tag);
  const components = [{ name: 'web', repository: registry.repository('shop/web'), tag }];
  const draft = await releases.create(owner, { name: mark, semver: tag, components, notes: mark });
  const finalized = await releases.finalize(owner, { id: draft.id, expectedVersion: draft.version });
  return releases.markReady(owner, { id: finalized.id, expectedVersion: finalized.version });
};

const failure = {
  step: 'failed',
  during: 'pulled',
  code: 'DEPLOY_PULL_FAILED',
  errorClass: 'registry-unreachable',
  raw: mark,
  log: mark,
};

/** Leases the first task; waits while the runner of another process handles the deployment. */
const firstTask = (
  lease: () => Promise<{ readonly task: { readonly taskId: string; readonly fence: number } } | null>,
) => until(async () => (await lease())?.task);

/** Creates a promotion that waits for its approval, and one that was launched and failed at its agent. */
const create = async (orchestrator: Orchestrator, context: SeedContext) => {
  const { environments, targets, integrations, secrets, promotions, deployments, runOnce } = orchestrator;
  const { owner, approver, registry } = context;
  const call = callerOf(orchestrator.operations);
  const environment = await environments.create(owner, { name: mark, orderIndex: 1, stageKind: 'dev' });
  await integrations.create(owner, { kind: 'registry', name: mark, baseUrl: registry.origin });
  const metrics = { kind: 'metrics', name: `${mark} metrics`, baseUrl: registry.origin };
  const integration = await integrations.create(owner, metrics);
  await secrets.save(owner, { name: mark, value: mark });
  const vault = { name: 'vault', kind: 'vault_kv', address: registry.origin, mount: mark, token: mark };
  const provider = await orchestrator.secretProviders.create(owner, vault);
  const variables = [{ name: 'MARK', value: mark }];
  await orchestrator.variableSets.save(owner, { environmentId: environment.id, expectedVersion: 0, variables });
  const signer = await orchestrator.trustedSigners.create(owner, {
    name: mark,
    kind: 'key',
    purposes: ['image'],
    publicKey: SIGNER,
  });
  const agent = await agentOf(orchestrator, context);
  const target = await targets.create(owner, {
    environmentId: environment.id,
    name: mark,
    driver: 'process',
    config: { port: 8080 },
    agentId: agent.id,
  });

  const promote = async (tag: string) => {
    const release = await releaseOf(orchestrator, context, tag);
    const promotion = { releaseId: release.id, targetEnvironmentId: environment.id, reason: mark };
    return { release, promotion: await promotions.request(owner, promotion) };
  };
  const launched = await promote('1.0.0');
  const { id: promotionId, gatedDigestSet } = launched.promotion;
  await promotions.approve(approver, { id: promotionId, seenGatedDigestSet: gatedDigestSet });
  const deployment = await deployments.launch(owner, { promotionId });
  const asAgent = caller({ subject: agent.id, kind: 'agent' });
  const task = await firstTask(async () => {
    await runOnce.runner();
    return call('agentTask.lease', asAgent, {});
  });
  const line = { component: 'web', text: mark, at: context.deps.clock.now().toISOString() };
  const lines = { taskId: task.taskId, fence: task.fence, seq: 1, lines: [line], dropped: 0 };
  await call('agentTask.log', asAgent, lines);
  await call('agentTask.report', asAgent, { taskId: task.taskId, fence: task.fence, seq: 1, report: failure });
  const waiting = await promote('1.1.0');
  const source = await orchestrator.sources.create(owner, {
    productId: launched.release.productId,
    component: mark,
    repository: registry.repository('shop/web'),
    selection: { range: '^1' },
    isEnabled: false,
  });
  const now = context.deps.clock.now().toISOString();
  const seenDigest = sha256(mark);
  const heartbeat = {
    held: [{ taskId: task.taskId, fence: task.fence }],
    capabilities: { process: '1' },
    observed: [
      { targetId: target.id, component: 'web', running: true, digest: seenDigest, reason: mark, observedAt: now },
    ],
    diskFree: 1,
    clock: now,
  };
  await call('agent.heartbeat', asAgent, heartbeat);
  const { items } = await orchestrator.estate.drift(owner, {});
  const observationId = items[0]?.id ?? '';
  const expiresAt = new Date(context.deps.clock.now().getTime() + 86_400_000).toISOString();
  const accepting = { observationId, seenDigest, reason: `${mark} for a day`, expiresAt };
  const deviation = await orchestrator.estate.accept(owner, accepting);

  const attestationId = await firstStatement(orchestrator, owner, launched.release.id);

  return {
    ids: {
      Environment: environment.id,
      Integration: integration.id,
      SecretProvider: provider.id,
      Agent: agent.id,
      Target: target.id,
      Product: launched.release.productId,
      ReleaseSource: source.id,
      Release: launched.release.id,
      Promotion: waiting.promotion.id,
      Deployment: deployment.id,
      AgentTask: task.taskId,
      Observation: observationId,
      Deviation: deviation.id,
      TrustedSigner: signer.id,
      Attestation: attestationId,
    },
    inputs: {
      ...agent.inputs,
      'agent.heartbeat': heartbeat,
      'estate.digest': { digest: seenDigest },
      'estate.acceptDeviation': accepting,
      'image.admission': {
        repository: registry.repository('shop/web'),
        digest: launched.release.components[0]?.digest,
      },
    },
  };
};

export const orchestratorSeed: Seed<Orchestrator> = {
  order: 30,
  unscoped: {
    'agent.register': 'the registration token admits',
    'agent.renewCertificate': 'the client certificate admits',
    'agent.heartbeat': 'the client certificate admits',
    'agentTask.lease': 'the client certificate admits',
    'agentTask.report': 'the client certificate admits',
    'agentTask.log': 'the client certificate admits',
  },
  shared: { 'transparencyLog.get': 'one log holds the hashes of all, and anybody may read it' },
  sharedFields: { transparencyLog: 'one log for all', imageAdmission: 'what a registry says' },
  values: {
    semver: '9.9.9',
    reason: 'Wait for the security review.',
    repository: 'registry.example/shop/web',
    tag: '1.0.0',
    baseUrl: 'https://registry.example',
    address: 'https://vault.example:8200',
    token: 'hvs.example',
    port: 8081,
    value: 'web',
    max: 1,
    linkTemplate: 'https://tickets.example/{key}',
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  },
  create,
};
