import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { UserId } from '../users/users.store.ts';
import { removeAll } from './passkeys.store.ts';
import {
  type Ceremony,
  createPasskeyRegistrations,
  createPasskeySignIn,
  type PasskeyHolder,
  type PasskeyRegistrations,
} from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';
import {
  type CodeVerdict,
  createSecondFactor,
  type FactorSummary,
  NO_FACTORS,
  type SecondFactor,
} from './second-factor.ts';
import * as totp from './totp.store.ts';

export type { Ceremony, PasskeyHolder } from './passkeys.ts';
export type { CodeVerdict, Enrolment, FactorSummary } from './second-factor.ts';

/** Second factors and passkeys of people. */
export interface Factors {
  summaryOf(query: Query, tenant: TenantId, userId: UserId): Promise<FactorSummary>;
  listSummaries(
    query: Query,
    tenant: TenantId,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, FactorSummary>>;
  /**
   * Verifies a TOTP or recovery code, each usable once, with back-off.
   * @param who the person whose password was right: `actor(tenant, userId, 'user', request)`
   */
  verifyCode(who: Who, code: string): Promise<CodeVerdict>;
  /** Reason why passkeys do not work at this address, for operators. */
  readonly passkeysUnavailableReason: string | undefined;
  /** Request options for any passkey; writes nothing, since anybody may ask. */
  passkeyOptions(): Promise<Ceremony>;
  /**
   * Verifies the answer to a request. Undefined for an unknown, malformed, replayed or cloned one and for a deactivated
   * person.
   * @param response AuthenticationResponseJSON (WebAuthn 3, 5.1.8.4), as text
   */
  verifyPasskey(response: string, ticket: string, requestId: string): Promise<PasskeyHolder | undefined>;
  /** Deletes all factors of a person. */
  clear(tx: Tx, tenant: TenantId, userId: UserId): Promise<void>;
  /** Factors as the account pages change them. */
  readonly secondFactor: SecondFactor;
  readonly passkeys: PasskeyRegistrations;
}

export const clearFactors = async (tx: Tx, tenant: TenantId, userId: UserId): Promise<void> => {
  await totp.remove(tx, tenant, userId);
  await totp.removeRecoveryCodes(tx, tenant, userId);
  await removeAll(tx, tenant, userId);
};

export const createFactors = (
  deps: Pick<Deps, 'database' | 'clock' | 'ids' | 'secrets'>,
  { issuer, baseUrl }: Pick<AuthoritySettings, 'issuer' | 'baseUrl'>,
): Factors => {
  const place = relyingPartyOf(issuer, baseUrl);
  const secondFactor = createSecondFactor(deps);
  const signIn = createPasskeySignIn(deps, place);

  return {
    summaryOf: async (query, tenant, userId) =>
      (await secondFactor.listSummaries(query, tenant, [userId])).get(userId) ?? NO_FACTORS,
    listSummaries: secondFactor.listSummaries,
    verifyCode: secondFactor.verify,
    passkeysUnavailableReason: place.unavailableReason,
    passkeyOptions: signIn.options,
    verifyPasskey: signIn.verify,
    clear: clearFactors,
    secondFactor,
    passkeys: createPasskeyRegistrations(deps, place),
  };
};
