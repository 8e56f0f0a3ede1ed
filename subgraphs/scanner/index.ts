import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { createScans } from './scans/scans.ts';
import { scannerSettings } from './shared/settings.ts';

export { scoreOf } from './scans/scan-score.ts';

/** Scans, score replay and reachability drift (spec 2.4, 2.5, 4.3, 4.4). */
const createScanner = (deps: Deps) => {
  const scans = createScans(deps);
  return {
    name: 'scanner',
    operations: [scans.get, scans.list],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({ caller, scans }),
    workers: [],
    scans,
  };
};

export type Scanner = ReturnType<typeof createScanner>;

export const scannerModule = defineModule({
  name: 'scanner',
  settings: scannerSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  seed: async () => (await import('./testing/seed.ts')).scannerSeed,
  configure: () => (deps) => createScanner(deps),
});
