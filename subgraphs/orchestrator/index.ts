import { fileURLToPath } from 'node:url';
import type { TrustSource } from '@landfall/attestation/bundle/trust-source';
import type { LogReader } from '@landfall/attestation/log/log-reader';
import { logOriginOf } from '@landfall/attestation/log/origin';
import type { TransparencyLog } from '@landfall/attestation/log/transparency-log';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type AgentListener, type Deps, defineModule, type Module } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation/operation';
import type { Context } from './context.ts';
import { createLoaders } from './loaders.ts';
import { resolvers } from './resolvers.ts';
import { createParts, type OrchestratorSettings, type Services } from './services.ts';
import { orchestratorSettings } from './settings.ts';

export { orchestratorSettings } from './settings.ts';

/** The release orchestrator: its module for the host, its services for REST routes, its agents' door. */
export interface Orchestrator extends Module, Services {
  readonly door: AgentListener;
  /** The documents that its statements are verified by. */
  readonly trust: TrustSource;
  readonly transparencyLog: TransparencyLog;
  readonly logReading: LogReader;
  /** One turn of each worker: for tests, where time stands still. */
  readonly turns: {
    runner(): Promise<number>;
    watch(): Promise<void>;
    imageStatements(): Promise<number>;
    attestor(): Promise<number>;
    observing(): Promise<number>;
    external(): Promise<number>;
    housekeeping(): Promise<void>;
  };
}

export const createOrchestrator = (deps: Deps, settings: OrchestratorSettings): Orchestrator => {
  const { services, agentOperations, transparencyLog, logReading, door, trust, workers, turns } = createParts(
    deps,
    settings,
  );
  const operations = [...Object.values(services), agentOperations].flatMap((service): Operation<unknown>[] =>
    Object.values(service),
  );
  return {
    ...services,
    name: 'orchestrator',
    operations,
    transparencyLog,
    logReading,
    door,
    anchor: { origin: logOriginOf(settings.platformDomain), append: transparencyLog.append },
    trust,
    turns,
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      orchestrator: services,
      loaders: createLoaders(deps.database, services, caller),
    }),
    workers,
  };
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
