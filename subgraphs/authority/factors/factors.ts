import type { Who } from '@landfall/kernel/caller';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { TenantId } from '@landfall/kernel/ids';
import type { UserId } from '../users/users.store.ts';

/** How a person can sign in beside a password. */
export interface Facts {
  /** A second factor is on: a password alone is not enough. */
  readonly totp: boolean;
  readonly passkeys: number;
  /** Recovery codes that are not used yet. */
  readonly recoveryCodes: number;
}

/** What became of a code of a second factor. */
export type CodeVerdict =
  | { readonly accepted: 'totp' | 'recovery'; readonly recoveryCodes: number }
  /** Wrong, or seen before. `waitMs` above 0: not looked at, too many tries. */
  | { readonly accepted: undefined; readonly waitMs: number; readonly triesLeft: number };

/** Whoever holds a passkey: two factors, what they have and how they unlocked it. */
export interface PasskeyHolder {
  readonly tenant: TenantId;
  readonly userId: UserId;
  /** RFC 8176: `hwk` or `swk`, and `user`. */
  readonly amr: readonly string[];
}

/** What `navigator.credentials` takes, and the ticket that comes back with its answer. */
export interface Ceremony {
  /** PublicKeyCredentialRequestOptionsJSON or PublicKeyCredentialCreationOptionsJSON (WebAuthn 3, 5.1). */
  readonly options: object;
  readonly ticket: string;
}

/** What a person has or holds beside a password. */
export interface Factors {
  of(query: Query, tenant: TenantId, userId: UserId): Promise<Facts>;
  listFacts(query: Query, tenant: TenantId, userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, Facts>>;
  /** Takes a code of the authenticator app or a recovery code, each once; guesses must wait longer and longer. */
  verifyCode(who: Who & { readonly subject: UserId }, code: string): Promise<CodeVerdict>;
  /** Why no passkey can work at this address, in words; undefined where they can. */
  readonly passkeyHindrance: string | undefined;
  /** The request for any passkey of ours. Nothing is written: anybody may ask. */
  passkeyOptions(): Promise<Ceremony>;
  /**
   * Who answered the request. Unknown, spoiled, spent, cloned and a deactivated person's are all the same: undefined.
   * @param response AuthenticationResponseJSON (WebAuthn 3, 5.1.8.4), as text
   */
  verifyPasskey(response: string, ticket: string, requestId: string): Promise<PasskeyHolder | undefined>;
  /** Takes everything away: a reset of the sign-in. */
  clear(tx: Tx, tenant: TenantId, userId: UserId): Promise<void>;
}
