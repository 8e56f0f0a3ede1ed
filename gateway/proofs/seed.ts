import { authorityModule } from '@landfall/authority';
import type { Caller } from '@landfall/kernel/core/caller';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps, Module } from '@landfall/kernel/module';
import { caller } from '@landfall/kernel/testing/callers';
import type { TenantData } from '@landfall/kernel/testing/matrix';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import type { Registry } from '@landfall/kernel/testing/oci-registry';
import { until } from '@landfall/kernel/testing/until';
import { type Orchestrator, orchestratorModule } from '@landfall/orchestrator';
import { searchModule } from '@landfall/search';
import { authorityData } from './authority-seed.ts';
import { callerOf } from './operations.ts';
import { MARK } from './owner-marks.ts';
import { searchData } from './search-seed.ts';

export { MARK };

interface World {
  readonly deps: Pick<Deps, 'clock' | 'database' | 'ids'>;
  readonly registry: Registry;
  /** Caller of the owning tenant, with every scope. */
  readonly owner: Caller;
  readonly approver: Caller;
}

/** The first statement about a release that is signed and in the log: a worker may be at it, too. */
const firstStatement = ({ custody, turns }: Orchestrator, owner: Caller, releaseId: string): Promise<string> =>
  until(async () => {
    await turns.attestor();
    const { steps } = await custody.get(owner, { releaseId });
    const found = steps.flatMap(({ statements }) => statements).find(({ attestationId }) => attestationId !== null);
    return found?.attestationId;
  });

/** Some key's request for a certificate (PKCS #10, P-256); whose it becomes, the token says. */
const CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHJMHICAQAwEDEOMAwGA1UEAxMFYWdlbnQwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAR4WmHcbqZYjD9KGKkR/7jzMJe0yBLr+8gChbYb48o0EGGPPq3eP3KJLQ+j
UOgAvyU6uzPdyvraBuIueF+Sh9vloAAwCgYIKoZIzj0EAwIDRwAwRAIgfJTyAJ9d
ZXEo1m9JlziDcglRRFJKBb6ttPRVGgPraisCIBzzXAnKD7N6BOf0i7KC8/83DcHs
oSnQiSqQLb48jv9Y
-----END CERTIFICATE REQUEST-----`;

/** Some key that images may be signed with (Ed25519). */
const SIGNER = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----`;

/** Secret part of `lfa_<secret>.<pin>`, which the agent sends. */
const secretOf = (token: string): string => /^lfa_([^.]+)\./.exec(token)?.[1] ?? token;

/** An agent that registered, and what it would register or renew with another time. */
const agentOf = async (orchestrator: Orchestrator, { deps, owner }: World) => {
  const call = callerOf(orchestrator.operations);
  const registration = async (name: string): Promise<object> => ({
    token: secretOf((await orchestrator.agents.createToken(owner, { name })).value),
    csr: CSR,
    name,
    version: '1.0.0',
    capabilities: { process: '1' },
    hostFacts: { platform: 'linux/amd64', hostname: MARK, cpus: 1 },
    clock: deps.clock.now().toISOString(),
  });
  const registering = caller({ subject: 'registration', kind: 'agent' });
  const { agentId } = await call('agent.register', registering, await registration(MARK));
  return {
    id: String(agentId),
    inputs: { 'agent.register': await registration(`${MARK}-2`), 'agent.renewCertificate': { csr: CSR } },
  };
};

const releaseOf = async ({ releases }: Orchestrator, { registry, owner }: World, tag: string) => {
  registry.push('shop/web', buildImage({ layers: [[{ path: 'app', content: tag }]] }), tag);
  const components = [{ name: 'web', repository: registry.repository('shop/web'), tag }];
  const draft = await releases.create(owner, { name: MARK, semver: tag, components, notes: MARK });
  const finalized = await releases.finalize(owner, { id: draft.id, expectedVersion: draft.version });
  return releases.markReady(owner, { id: finalized.id, expectedVersion: finalized.version });
};

const failure = {
  step: 'failed',
  during: 'pulled',
  code: 'DEPLOY_PULL_FAILED',
  errorClass: 'registry-unreachable',
  raw: MARK,
  log: MARK,
};

/** The runner of another process may have the job; then the task comes when that one has done its turn. */
const firstTask = (
  lease: () => Promise<{ readonly task: { readonly taskId: string; readonly fence: number } } | null>,
) => until(async () => (await lease())?.task);

/** A promotion that waits for its approval, and one that was launched and failed at its agent. */
const orchestratorData = async (orchestrator: Orchestrator, world: World): Promise<TenantData> => {
  const { environments, targets, integrations, secrets, promotions, deployments, turns } = orchestrator;
  const { owner, approver, registry } = world;
  const call = callerOf(orchestrator.operations);
  const environment = await environments.create(owner, { name: MARK, orderIndex: 1, stageKind: 'dev' });
  await integrations.create(owner, { kind: 'registry', name: MARK, baseUrl: registry.origin });
  const metrics = { kind: 'metrics', name: `${MARK} metrics`, baseUrl: registry.origin };
  const integration = await integrations.create(owner, metrics);
  await secrets.save(owner, { name: MARK, value: MARK });
  const vault = { name: 'vault', kind: 'vault_kv', address: registry.origin, mount: MARK, token: MARK };
  const provider = await orchestrator.secretProviders.create(owner, vault);
  const variables = [{ name: 'MARK', value: MARK }];
  await orchestrator.variableSets.save(owner, { environmentId: environment.id, expectedVersion: 0, variables });
  const signer = await orchestrator.trustedSigners.create(owner, {
    name: MARK,
    kind: 'key',
    purposes: ['image'],
    publicKey: SIGNER,
  });
  const agent = await agentOf(orchestrator, world);
  const target = await targets.create(owner, {
    environmentId: environment.id,
    name: MARK,
    driver: 'process',
    config: { port: 8080 },
    agentId: agent.id,
  });

  const promote = async (tag: string) => {
    const release = await releaseOf(orchestrator, world, tag);
    const asked = { releaseId: release.id, targetEnvironmentId: environment.id, reason: MARK };
    return { release, promotion: await promotions.request(owner, asked) };
  };
  const launched = await promote('1.0.0');
  const { id: promotionId, gatedDigestSet } = launched.promotion;
  await promotions.approve(approver, { id: promotionId, seenGatedDigestSet: gatedDigestSet });
  const deployment = await deployments.launch(owner, { promotionId });
  const asAgent = caller({ subject: agent.id, kind: 'agent' });
  const task = await firstTask(async () => {
    await turns.runner();
    return call('agentTask.lease', asAgent, {});
  });
  const line = { component: 'web', text: MARK, at: world.deps.clock.now().toISOString() };
  const said = { taskId: task.taskId, fence: task.fence, seq: 1, lines: [line], dropped: 0 };
  await call('agentTask.log', asAgent, said);
  await call('agentTask.report', asAgent, { taskId: task.taskId, fence: task.fence, seq: 1, report: failure });
  const waiting = await promote('1.1.0');
  const now = world.deps.clock.now().toISOString();
  const seenDigest = sha256(MARK);
  const heartbeat = {
    held: [{ taskId: task.taskId, fence: task.fence }],
    capabilities: { process: '1' },
    observed: [
      { targetId: target.id, component: 'web', running: true, digest: seenDigest, reason: MARK, observedAt: now },
    ],
    diskFree: 1,
    clock: now,
  };
  await call('agent.heartbeat', asAgent, heartbeat);
  const { items } = await orchestrator.estate.drift(owner, {});
  const observationId = items[0]?.id ?? '';
  const expiresAt = new Date(world.deps.clock.now().getTime() + 86_400_000).toISOString();
  const accepting = { observationId, seenDigest, reason: `${MARK} for a day`, expiresAt };
  const deviation = await orchestrator.estate.accept(owner, accepting);

  const attestationId = await firstStatement(orchestrator, owner, launched.release.id);

  return {
    ids: {
      Environment: environment.id,
      Integration: integration.id,
      SecretProvider: provider.id,
      Agent: agent.id,
      Target: target.id,
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

/** Gives tenant acme one of everything, through the modules' own operations. */
export const seed = async (modules: readonly Module[], world: World): Promise<TenantData> => {
  const authority = authorityModule.find(modules);
  const orchestrator = orchestratorModule.find(modules);
  const search = searchModule.find(modules);
  const parts = [
    ...(authority ? [await authorityData(authority, world)] : []),
    ...(orchestrator ? [await orchestratorData(orchestrator, world)] : []),
  ];
  const user = parts.find(({ ids }) => ids.User !== undefined)?.ids.User;
  // Last: what is found is what the others have; history is its person's own.
  if (search) parts.push(await searchData(search, { ...world.owner, subject: user ?? world.owner.subject }));
  return {
    ids: Object.assign({}, ...parts.map(({ ids }) => ids)),
    inputs: Object.assign({}, ...parts.map(({ inputs }) => inputs)),
  };
};
