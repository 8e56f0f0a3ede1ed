import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import { type ControlPorts, createControl } from './control.ts';
import { createKitChecks } from './kits/kit-checks.ts';
import { createLoaders } from './loaders.ts';
import { airgapCommands } from './operator/commands.ts';
import { resolvers } from './resolvers.ts';
import { airgapSettings, timeOptionsOf } from './settings.ts';
import { withTenantHeader } from './shared/tenant-header.ts';
import { createTransfers, type TransferPorts } from './transfers.ts';

/** Sealed environments, trusted time and offline kits (spec 2.7, 4.6). */
export const createAirGap = (services: Deps, ports: Omit<ControlPorts, 'kitChecks'> & TransferPorts) => {
  const deps = { ...services, operation: services.operation.reading(withTenantHeader) };
  const control = createControl(deps, { ...ports, kitChecks: createKitChecks(ports) });
  const { operations, workers, ...transfers } = createTransfers(deps, ports, control);
  return {
    ...control,
    ...transfers,
    name: 'airgap',
    operations: [...control.operations, ...operations],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      ...transfers,
      caller,
      control,
      loaders: createLoaders(caller, transfers),
    }),
    workers: [...control.workers, ...workers],
  };
};

export { kitEvidence } from './kits/kit-evidence.ts';
export { syncEvidence } from './sync/sync-evidence.ts';

export type AirGap = ReturnType<typeof createAirGap>;

export const airgapModule = defineModule({
  name: 'airgap',
  settings: airgapSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  seed: async () => (await import('./testing/seed.ts')).airgapSeed,
  commands: airgapCommands,
  demo: async () => (await import('./demo/chapter.ts')).airgapChapter,
  configure: (settings, { dataDir }) => {
    const time = timeOptionsOf(settings);
    return (deps, { releaseTransfer: releases, scanGate: gate, ...ports }) =>
      createAirGap(deps, { ...ports, releases, gate, dataDir, time });
  },
});
