import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { createStatus } from './seal/status.ts';
import { withTenantHeader } from './shared/tenant-header.ts';

/** Sealed environments, trusted time and offline kits (spec 2.7, 4.6). */
export const createAirGap = (services: Deps) => {
  const deps = { ...services, operation: services.operation.reading(withTenantHeader) };
  const status = createStatus(deps);
  return {
    name: 'airgap',
    operations: [status],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({ caller, status }),
    workers: [],
    status,
  };
};

export type AirGap = ReturnType<typeof createAirGap>;

export const airgapModule = defineModule({
  name: 'airgap',
  settings: {},
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  seed: async () => (await import('./testing/seed.ts')).airgapSeed,
  configure: () => (deps) => createAirGap(deps),
});
