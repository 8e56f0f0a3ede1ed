import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { AuthoritySettings } from '../settings.ts';
import type { UserId } from '../users/users.store.ts';
import {
  type Ceremony,
  createPasskeyRegistrations,
  createPasskeySignIn,
  type PasskeyHolder,
  type PasskeyRegistrations,
  removePasskeys,
} from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';
import {
  type CodeVerdict,
  createSecondFactor,
  type FactorSummary,
  NO_FACTORS,
  type SecondFactor,
} from './second-factor.ts';

export type { Ceremony, PasskeyHolder } from './passkeys.ts';
export type { CodeVerdict, Enrolment, FactorSummary } from './second-factor.ts';

/** What a person has or holds beside a password. */
export interface Factors {
  summaryOf(query: Query, tenant: TenantId, userId: UserId): Promise<FactorSummary>;
  listSummaries(
    query: Query,
    tenant: TenantId,
    userIds: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, FactorSummary>>;
  /**
   * Takes a code of the authenticator app or a recovery code, each once; guesses must wait longer and longer.
   * @param who the person whose password was right: `actor(tenant, userId, 'user', request)`
   */
  verifyCode(who: Who, code: string): Promise<CodeVerdict>;
  /** Why no passkey can work at this address, in words; undefined where they can. */
  readonly passkeysUnavailableReason: string | undefined;
  /** The request for any passkey of ours. Nothing is written: anybody may ask. */
  passkeyOptions(): Promise<Ceremony>;
  /**
   * Who answered the request. Unknown, spoiled, spent, cloned and a deactivated person's are all the same: undefined.
   * @param response AuthenticationResponseJSON (WebAuthn 3, 5.1.8.4), as text
   */
  verifyPasskey(response: string, ticket: string, requestId: string): Promise<PasskeyHolder | undefined>;
  /** Takes everything away: a reset of the sign-in. */
  clear(tx: Tx, tenant: TenantId, userId: UserId): Promise<void>;
  /** What the account pages change. */
  readonly secondFactor: SecondFactor;
  readonly passkeys: PasskeyRegistrations;
}

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
    async clear(tx, tenant, userId) {
      await secondFactor.clear(tx, tenant, userId);
      await removePasskeys(tx, tenant, userId);
    },
    secondFactor,
    passkeys: createPasskeyRegistrations(deps, place),
  };
};
