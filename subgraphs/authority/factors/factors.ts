import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { UserId } from '../users/users.ts';
import { removeAll } from './passkeys.store.ts';
import { createPasskeyRegistrations, createPasskeySignIn } from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';
import { createSecondFactor, type FactorSummary, NO_FACTORS } from './second-factor.ts';
import * as totp from './totp.store.ts';

/** Deletes all factors of a person. */
export const clearFactors = async (tx: Tx, tenant: TenantId, userId: UserId): Promise<void> => {
  await totp.remove(tx, tenant, userId);
  await totp.removeRecoveryCodes(tx, tenant, userId);
  await removeAll(tx, tenant, userId);
};

/** Second factors and passkeys of people. */
export const createFactors = (
  deps: Pick<Deps, 'database' | 'clock' | 'ids' | 'secrets'>,
  { issuer, baseUrl }: Pick<AuthoritySettings, 'issuer' | 'baseUrl'>,
) => {
  const relyingParty = relyingPartyOf(issuer, baseUrl);
  const secondFactor = createSecondFactor(deps);
  const signIn = createPasskeySignIn(deps, relyingParty);

  return {
    summaryOf: async (query: Query, tenant: TenantId, userId: UserId): Promise<FactorSummary> =>
      (await secondFactor.listSummaries(query, tenant, [userId])).get(userId) ?? NO_FACTORS,
    verifyCode: secondFactor.verify,
    /** Reason why passkeys do not work at this address, for operators. */
    passkeysUnavailableReason: relyingParty.unavailableReason,
    passkeyOptions: signIn.options,
    verifyPasskey: signIn.verify,
    secondFactor,
    passkeys: createPasskeyRegistrations(deps, relyingParty),
  };
};

export type Factors = ReturnType<typeof createFactors>;
