import type { Seed } from '@landfall/kernel/operation/seed';
import type { RegistryTokens } from '../index.ts';

export const registryTokenSeed: Seed<RegistryTokens> = {
  order: 20,
  unscoped: { 'registryAccess.simulate': 'anybody may ask about themselves' },
  shared: {
    'registryPlan.list': 'plans are the installation’s',
    'registryAccess.simulate': 'the rules are the installation’s; it looks nothing up',
    'registrySigning.read': 'registries of all trust one authority',
  },
  sharedFields: {
    registryPlans: 'those of the installation',
    registrySigning: 'one key for all',
    simulateRegistryAccess: 'what those plans say',
  },
  values: { scope: 'repository:shop/web:pull' },
  // Its rows are those of requests, which the authority's seed writes.
  create: async () => ({ ids: {} }),
};
