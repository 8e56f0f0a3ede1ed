import { fileURLToPath } from 'node:url';
import { logOriginOf } from '@landfall/attestation/log/origin';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule, type Module } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation/operation';
import type { Context } from './context.ts';
import { createLoaders } from './loaders.ts';
import { resolvers } from './resolvers.ts';
import { createModuleParts, type OrchestratorSettings } from './services.ts';
import { orchestratorSettings } from './settings.ts';

export { integrationDestinations } from './catalogue/integrations/destinations.ts';
export { productDirectory } from './catalogue/products/product-directory.ts';
export { releaseDirectory } from './catalogue/releases/release-directory.ts';
export { secretProviderDestinations } from './catalogue/secrets/destinations.ts';
export { approverDirectory } from './deciding/promotions/approver-directory.ts';
export { createReleaseTransfer } from './evidence/images/release-transfer.ts';
export { statementEvidence } from './evidence/statements/statement-evidence.ts';
export { orchestratorSettings } from './settings.ts';

export type Orchestrator = ReturnType<typeof createOrchestrator>;

/**
 * Creates the release orchestrator: its module for the host, its services for REST routes, and the agents' listener.
 */
export const createOrchestrator = (deps: Deps, settings: OrchestratorSettings) => {
  const { services, agentOperations, ...parts } = createModuleParts(deps, settings);
  const operations = [...Object.values(services), agentOperations].flatMap((service): Operation<unknown>[] =>
    Object.values(service),
  );
  return {
    ...services,
    ...parts,
    name: 'orchestrator',
    operations,
    sealLog: { origin: logOriginOf(settings.platformDomain), append: parts.transparencyLog.append },
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      orchestrator: services,
      loaders: createLoaders(deps.database, services, caller),
    }),
  } satisfies Module;
};

export const orchestratorModule = defineModule({
  name: 'orchestrator',
  settings: orchestratorSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  listener: 'agents',
  checks: async () => (await import('./operator/checks.ts')).orchestratorChecks,
  demo: async () => (await import('./demo/chapter.ts')).orchestratorChapter,
  seed: async () => (await import('./testing/seed.ts')).orchestratorSeed,
  configure:
    (settings, { platformDomain, agentUrl }) =>
    (deps, { signingKeys, meter }) =>
      createOrchestrator(deps, { ...settings, platformDomain, agentUrl, signingKeys, ...(meter && { meter }) }),
});
