import type { Platform } from '@landfall/kernel/system/platform';
import { defineSettings, type Settings } from '@landfall/kernel/system/settings';

/** Settings of the authority: lifetimes of what it issues. */
export const authoritySettings = defineSettings({
  accessTokenMs: { type: 'duration', default: '900s', name: 'Tokens:Access', description: 'Life of an access token.' },
  codeMs: { type: 'duration', default: '60s', name: 'Tokens:Code', description: 'Life of an authorization code.' },
  deviceCodeMs: { type: 'duration', default: '600s', name: 'Tokens:DeviceCode', description: 'Life of a device code.' },
  devicePollMs: { type: 'duration', default: '5s', name: 'Tokens:DevicePoll', description: 'Pause between two polls.' },
  refreshIdleMs: {
    type: 'duration',
    default: '30d',
    name: 'Tokens:RefreshIdle',
    description: 'Time after which an unused refresh token expires.',
  },
});

/** The authority's own settings and those of the platform that it reads. */
export interface AuthoritySettings
  extends Settings<typeof authoritySettings>,
    Pick<Platform, 'baseUrl' | 'audience' | 'requiresDpopNonce' | 'hasMutualTls' | 'sessionMs' | 'version'> {
  /** Public origin of the authority and `iss` of everything it signs: `http://127.0.0.1:4001`. */
  readonly issuer: string;
}
