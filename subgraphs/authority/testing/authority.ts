import type { Deps } from '@landfall/kernel/module';
import { type Authority, createAuthority } from '../index.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';

export const settings: AuthoritySettings = {
  issuer: 'http://127.0.0.1:4001',
  baseUrl: 'http://127.0.0.1:4000',
  audience: 'landfall',
  accessTokenMs: 900_000,
  codeMs: 60_000,
  deviceCodeMs: 600_000,
  devicePollMs: 5_000,
  requiresDpopNonce: false,
  hasMutualTls: false,
  refreshIdleMs: 30 * 86_400_000,
  sessionMs: 86_400_000,
  version: '0.1.0',
};

/** Creates the authority with the two tenants of the usual people, for `testApp`. */
export const makeAuthority = async (deps: Deps): Promise<Authority> => {
  const authority = createAuthority(deps, settings);
  for (const tenant of ['acme', 'globex']) await authority.bootstrap.ensureTenant({ tenant, name: tenant });
  return authority;
};
