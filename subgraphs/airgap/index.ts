import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import { createLoaders } from './loaders.ts';
import { airgapCommands } from './operator/commands.ts';
import { resolvers } from './resolvers.ts';
import { createStatus } from './seal/status.ts';
import { withTenantHeader } from './shared/tenant-header.ts';
import { createTransfers, type TransferPorts } from './transfers.ts';

/** Sealed environments, trusted time and offline kits (spec 2.7, 4.6). */
export const createAirGap = (services: Deps, ports: TransferPorts) => {
  const deps = { ...services, operation: services.operation.reading(withTenantHeader) };
  const status = createStatus(deps);
  const transfers = createTransfers(deps, ports, async () => deps.clock.now());
  const { kits, kitImports, mirrors } = transfers;
  return {
    name: 'airgap',
    operations: [status, ...transfers.operations],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      status,
      kits,
      kitImports,
      mirrors,
      loaders: createLoaders(caller, { kits }),
    }),
    workers: [...transfers.workers],
    status,
    kits,
    kitImports,
    mirrors,
    kitInbox: transfers.kitInbox,
    importKits: transfers.importKits,
    importMirrors: transfers.importMirrors,
  };
};

export type AirGap = ReturnType<typeof createAirGap>;

export const airgapModule = defineModule({
  name: 'airgap',
  settings: {},
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  seed: async () => (await import('./testing/seed.ts')).airgapSeed,
  commands: airgapCommands,
  configure:
    (_settings, { dataDir }) =>
    (deps, { meter, signingKeys, feeds, vex, releaseTransfer: releases }) =>
      createAirGap(deps, { dataDir, meter, signingKeys, feeds, vex, releases }),
});
