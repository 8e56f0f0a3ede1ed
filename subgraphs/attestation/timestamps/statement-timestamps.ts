import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Deps } from '@landfall/kernel/module';
import { createBuiltInAuthority } from './built-in-authority.ts';
import type { AuthorityCertificates } from './timestamp.ts';
import { configuredTimestamps, type TimestampSettings } from './timestamp-settings.ts';

/** Creates timestamps by the configured or built-in authority and trusts both. Throws as `configuredTimestamps`. */
export const createTimestamps = (
  { database, http }: Pick<Deps, 'database' | 'http'>,
  settings: TimestampSettings,
  platform: { readonly keys: SigningKeys; readonly platformDomain: string },
) => {
  const { client, authorities } = configuredTimestamps(http, settings);
  const own = createBuiltInAuthority({ database, ...platform });
  return {
    client: client ?? own,
    authorities: async (): Promise<readonly AuthorityCertificates[]> => [...authorities, ...(await own.authorities())],
  };
};
