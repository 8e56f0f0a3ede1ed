import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Deps } from '@landfall/kernel/module';
import { createBuiltInAuthority } from './built-in-authority.ts';
import type { AuthorityCertificates, TimestampClient } from './timestamp.ts';
import { configuredTimestamps, type TimestampSettings } from './timestamp-settings.ts';

/** The authority that stamps statements, and every authority that the trust document names. */
interface StatementTimestamps {
  readonly client: TimestampClient;
  readonly authorities: () => Promise<readonly AuthorityCertificates[]>;
}

/**
 * The configured authority stamps, or the built-in one where none is configured. Chains of both are trusted, so that a
 * statement still verifies after an installation moved from one to the other.
 * @throws Error as `configuredTimestamps`
 */
export const createTimestamps = (
  { database, http }: Pick<Deps, 'database' | 'http'>,
  settings: TimestampSettings,
  platform: { readonly keys: SigningKeys; readonly platformDomain: string },
): StatementTimestamps => {
  const { client, authorities } = configuredTimestamps(http, settings);
  const own = createBuiltInAuthority({ database, ...platform });
  return {
    client: client ?? own,
    authorities: async () => [...authorities, ...(await own.authorities())],
  };
};
