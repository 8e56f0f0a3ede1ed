import { settingsOf } from '@landfall/kernel/system/settings';
import { registryTokenSettings } from '@landfall/registry-token';
import type { GatewaySettings } from '../settings/settings.ts';

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

/** A licence that has ended, for whoever wants to see what that looks like. */
const ENDED = ['GLOBEX-2025'];

/** The settings with registry plans to try things with; an operator's own plans stay as they are. */
export const withDemoPlans = (settings: GatewaySettings): GatewaySettings => {
  const own = settingsOf(registryTokenSettings, settings);
  if (Object.keys(own.registryTokenPlans).length > 0) return settings;
  const demo: typeof own = {
    ...own,
    registryTokenPlans: PLANS,
    registryTokenDefaultPlan: own.registryTokenDefaultPlan ?? 'guest',
    registryTokenRevokedLicenses: [...own.registryTokenRevokedLicenses, ...ENDED],
  };
  return { ...settings, ...demo };
};
