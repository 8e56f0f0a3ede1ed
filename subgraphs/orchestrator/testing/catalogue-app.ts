import { sha256 } from '@landfall/kernel/crypto/digest';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps } from '@landfall/kernel/module';
import { testApp } from '@landfall/kernel/testing/app';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import pg from 'pg';
import type { Environment } from '../catalogue/environments/environments.store.ts';
import { defaultParams } from '../catalogue/environments/strategy-params.ts';
import type { Release } from '../catalogue/releases/releases.store.ts';
import type { Promotion } from '../deciding/promotions/promotions.store.ts';
import { createOrchestrator } from '../index.ts';
import { plan } from '../running/plan/planner.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Builds a unique image whose one file holds `content`. */
export const imageOf = (content: string) => buildImage({ layers: [[{ path: 'app', content }]] });

/**
 * Starts the catalogue over a database and a registry of its own, with seeds that have defaults. Seeds call the
 * operations as `operator`; landings are inserted directly, since they would take a whole deployment.
 */
export const catalogueApp = async (
  registryOptions: Parameters<typeof startRegistry>[0] = {},
  own: Partial<Pick<Deps, 'http'>> = {},
) => {
  const registry = await startRegistry(registryOptions);
  const app = await testApp({
    createModule: (deps) =>
      createOrchestrator(
        { ...deps, ...own },
        {
          platformDomain: 'landfall.example',
          agentUrl: 'https://127.0.0.1:4002',
          deploymentLogDays: 30,
          signingKeys: createSigningKeys(deps),
        },
      ),
  });
  const { environments, releases, promotions } = app.module;
  const operator = app.caller('operator');
  let count = 0;

  const environment = (overrides: Fields = {}): Promise<Environment> => {
    count += 1;
    return environments.create(operator, {
      name: `Environment ${count}`,
      orderIndex: count * 10,
      stageKind: 'stage',
      ...overrides,
    });
  };

  const draft = (overrides: Fields = {}): Promise<Release> => {
    count += 1;
    const tag = `1.0.${count}`;
    registry.push('shop/web', imageOf(tag), tag);
    const components = [{ name: 'web', repository: registry.repository('shop/web'), tag }];
    return releases.create(operator, { name: 'shop', semver: tag, components, ...overrides });
  };

  const finalized = async (overrides: Fields = {}): Promise<Release> => {
    const { id, version } = await draft(overrides);
    return releases.finalize(operator, { id, expectedVersion: version });
  };

  const ready = async (overrides: Fields = {}): Promise<Release> => {
    const { id, version } = await finalized(overrides);
    return releases.markReady(operator, { id, expectedVersion: version });
  };

  const promotion = async (release: Release, target: Environment): Promise<Promotion> =>
    promotions.request(operator, { releaseId: release.id, targetEnvironmentId: target.id, reason: 'Ship it.' });

  /** Runs a statement as the superuser, for states that no operation of the catalogue creates. */
  const force = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    const client = new pg.Client(app.connection);
    await client.connect();
    await client.query(text, [...values]).finally(() => client.end());
  };

  return {
    ...app,
    registry,
    seed: { environment, draft, finalized, ready, promotion },
    /** Changes that in the product only agents and deployments make. */
    force: {
      /** Sets the state of a promotion to one that only a deployment leads to. */
      state: (id: string, state: string) =>
        force('update orchestrator.promotions set state = $2 where id = $1', [id, state]),
      /** Creates a registered agent with drivers and their versions. */
      async agent(name: string, capabilities: Readonly<Record<string, string>>, only?: Environment): Promise<string> {
        const id = app.deps.ids.uuid();
        await force(
          `insert into orchestrator.agents (tenant, id, name, state, software_version, spiffe_id, certificate_serial,
             certificate_not_after, public_key, capabilities, host_facts, environment_ids, created_by)
           values ('acme', $1, $2, 'active', '1.0.0', 'spiffe://test', $2, kernel.now(), 'key', $3, '{}', $4, 'operator')`,
          [id, name, JSON.stringify(capabilities), only ? [only.id] : null],
        );
        return id;
      },
      health: (id: string, health: string) =>
        force('update orchestrator.targets set health_state = $2, state = $2 where id = $1', [id, health]),
      /** Creates a landed release in an environment, completed and verified by default. */
      async landing(release: Release, target: Environment, landing = 'verified') {
        const { id } = await promotion(release, target);
        await force("update orchestrator.promotions set state = 'deployed' where id = $1", [id]);
        await force(
          `insert into orchestrator.deployments (tenant, id, promotion_id, release_id, environment_id, kind, strategy,
             state, plan, acknowledged, landing, launched_by, deadline_at, completed_at)
           values ('acme', $1, $2, $3, $4, 'deploy', 'all_at_once', 'completed', $5, '{}', $6, 'operator',
             kernel.now(), kernel.now())`,
          [
            app.deps.ids.uuid(),
            id,
            release.id,
            target.id,
            JSON.stringify(plan({ strategy: 'all_at_once', targetCount: 1, params: defaultParams, hasTraffic: true })),
            landing,
          ],
        );
      },
      /** Gives the deployments of a release in an environment another end. */
      outcome: (release: string, environment: string, state: string, landing: string | null) =>
        force(
          `update orchestrator.deployments
           set state = $3, landing = $4, anatomy = case when $3 = 'failed' then '{}'::jsonb end
           where release_id = $1 and environment_id = $2`,
          [release, environment, state, landing],
        ),
      /** Lets the statements on a table fail until the result is disposed of. */
      async withoutTable(name: string): Promise<AsyncDisposable> {
        await force(`alter table orchestrator.${name} rename to ${name}_away`);
        return { [Symbol.asyncDispose]: () => force(`alter table orchestrator.${name}_away rename to ${name}`) };
      },
    },
    anyDigest: sha256('any'),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
};

export type CatalogueApp = Awaited<ReturnType<typeof catalogueApp>>;

/** Builds an assertion on the code, and optionally the details, of a refusal. */
export const refusal =
  (code: string, details?: Fields) =>
  (error: unknown): boolean =>
    error instanceof Error &&
    'code' in error &&
    error.code === code &&
    (details === undefined || ('details' in error && includes(error.details, details)));

const includes = (actual: unknown, requested: Fields): boolean =>
  typeof actual === 'object' &&
  actual !== null &&
  Object.entries(requested).every(
    ([name, value]) => JSON.stringify(Reflect.get(actual, name)) === JSON.stringify(value),
  );
