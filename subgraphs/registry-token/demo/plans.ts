import { settingsOf } from '@landfall/kernel/system/settings';
import { registryTokenSettings } from '../settings/settings.ts';

/** Plans of the demo's tenants, where the operator has configured none. */
const PLANS = {
  team: {
    repositories: [
      { pattern: 'shop/*', actions: ['pull', 'push'] },
      { pattern: 'acme/*', actions: ['pull', 'push'] },
    ],
  },
  guest: { repositories: [{ pattern: 'shop/*' }] },
};

/** A licence that has ended. */
const ENDED = ['GLOBEX-2025'];

/** Adds registry plans for the demo; an operator's own plans stay as they are. */
export const demoPlans = (settings: object): object => {
  const own = settingsOf(registryTokenSettings, settings);
  if (Object.keys(own.registryTokenPlans).length > 0) return {};
  const demo: typeof own = {
    ...own,
    registryTokenPlans: PLANS,
    registryTokenDefaultPlan: own.registryTokenDefaultPlan ?? 'guest',
    registryTokenRevokedLicenses: [...own.registryTokenRevokedLicenses, ...ENDED],
  };
  return demo;
};
