import { loadSettings } from '@landfall/kernel/system/settings';
import { type RegistryTokenSettings, registryTokenSettings, registryTokenSettingsOf } from '../settings/settings.ts';

/** Settings from these variables, around a platform on this machine. */
export const testSettings = (env: Readonly<Record<string, string>> = {}, file: unknown = {}): RegistryTokenSettings =>
  registryTokenSettingsOf(loadSettings(registryTokenSettings, { env, file }), {
    baseUrl: 'http://platform.example',
    authUrl: 'http://authority.example',
    audience: 'landfall',
  });

/** Plans of most tests. */
export const PLANS = {
  REGISTRY_TOKEN_PLANS: JSON.stringify({
    pro: {
      repositories: [
        { pattern: 'acme/*', actions: ['pull', 'push'] },
        { pattern: 'tools/base' },
        { pattern: 'registry:catalog', actions: ['*'] },
        { pattern: 'vault/*', actions: ['*'] },
      ],
    },
    basic: { repositories: [{ pattern: 'acme/*' }] },
  }),
} as const;
