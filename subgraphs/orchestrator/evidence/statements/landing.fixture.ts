import * as attestations from '@landfall/attestation/statements/attestations.store';
import { listByAttestations } from '@landfall/attestation/statements/external-entries.store';
import { type Id, toTenantId } from '@landfall/kernel/core/ids';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { count, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import { createOrchestrator } from '../../index.ts';
import { deployingApp, landedAt, leased, type TestAgent } from '../../testing/deploying-app.ts';

const tenant = toTenantId('acme');

const counted = table('test.counted', { total: count });
const bundled = table('test.bundled', { bundle: text });

/** Starts an orchestrator with an agent that completes every task, and reads the statements that follow. */
export const startAttestedApp = async () => {
  const app = await deployingApp();
  const agent = await app.register();
  const operator = app.caller('operator');
  let stages = 0;

  /**
   * Creates an environment with targets of the agent, before the earlier environments, so that a release may enter it
   * first.
   */
  const stage = async (targets = 1, overrides: Readonly<Record<string, unknown>> = {}): Promise<Environment> => {
    stages += 1;
    const environment = await app.seed.environment({ orderIndex: 1000 - stages, requiredApprovals: 0, ...overrides });
    for (let i = 0; i < targets; i++) await app.seed.target(environment, agent);
    return environment;
  };

  /** Has the agent complete `times` tasks. */
  const work = async (times = 1, overrides = {}, worker: TestAgent = agent): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const assignment = await leased(app, worker);
      await app.report(worker, assignment, 1, landedAt(assignment, overrides));
    }
  };

  /** Lands a release, verified, on every target of an environment. */
  const landed = async (environment: Environment, targets = 1) => {
    const release = await app.seed.ready();
    const { id } = await app.launch((await app.seed.approved(release, environment)).id);
    await work(targets);
    return { release, deployment: await app.module.deployments.get(operator, { id }) };
  };

  const statement = (kind: attestations.AttestationKind, subjectId: string) =>
    app.deps.database.read(tenant, (query) => attestations.findBySubject(query, tenant, kind, subjectId));

  const complete = async (id: Id<'Attestation'>) => {
    const found = await app.deps.database.read(tenant, (query) => attestations.find(query, tenant, id));
    if (!found) throw new TypeError(`no attestation ${id}`);
    return found;
  };

  return {
    ...app,
    agent,
    operator,
    stage,
    work,
    landed,
    statement,
    whole: complete,
    /** Creates the modules of a second process over the same database. */
    another: (overrides: Partial<Parameters<typeof createOrchestrator>[1]> = {}) =>
      createOrchestrator(app.deps, {
        platformDomain: 'landfall.example',
        agentUrl: 'https://127.0.0.1:4002',
        deploymentLogDays: 30,
        signingKeys: createSigningKeys(app.deps),
        ...overrides,
      }),
    /** Runs the attestor until nothing is due. */
    async attestAll(): Promise<void> {
      while ((await app.module.runOnce.attestor()) > 0);
    },
    /** Reads the external log's entry of a statement. */
    async external(id: Id<'Attestation'>) {
      const [found] = await app.deps.database.read(tenant, (query) => listByAttestations(query, tenant, [id]));
      return found && { url: found.url, logIndex: found.logIndex, lastError: found.lastError };
    },
    /** Lists every bundle of the tenant. */
    async bundles(): Promise<string[]> {
      const statement = sql`/* test */ select bundle from orchestrator.attestations where bundle is not null`;
      const rows = await app.deps.database.read(tenant, (query) => query.list(bundled, statement));
      return rows.map(({ bundle }) => bundle);
    },
    /** Counts the entries of the log. */
    async entries(): Promise<number> {
      const statement = sql`/* test */ select count(*) as total from tlog.entries`;
      const { total } = await app.deps.database.system.read((query) => query.get(counted, statement));
      return total;
    },
  };
};

export type AttestedApp = Awaited<ReturnType<typeof startAttestedApp>>;
