import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { removeAll as removePasskeys } from '../factors/passkeys.store.ts';
import { removeRecoveryCodes, remove as removeTotp } from '../factors/totp.store.ts';
import { endOfUser } from '../sign-in/sessions.store.ts';
import { revokeOfUser } from '../tokens/families.store.ts';
import * as links from './account-links.store.ts';
import { issueLink } from './account-links.ts';
import { listByUsers as listWaysIn } from './sign-in-methods.store.ts';
import * as users from './users.store.ts';

/** Why an administrator is not let in again. */
export type RecoveryObstacle = 'unknown' | 'no-administrator' | 'deactivated' | 'can-sign-in';

/** Token of a link, told once; both are null where the person has got a password. */
export interface RecoveryLink {
  readonly token: string | null;
  readonly expiresAt: Date | null;
}

export interface AdministratorRecovery {
  readonly username: string;
  /** Null: the person chooses a password by a link. */
  readonly passwordHash: string | null;
  /** Also takes from a person who can sign in all that they sign in with. */
  readonly again: boolean;
}

/**
 * Lets an administrator in again whose link was lost or has expired, as an operator asks who holds the database.
 * Nothing that the person had before signs in or stays signed in.
 */
export const recoverAdministrator = async (
  tx: Tx,
  who: Who,
  { username, passwordHash, again }: AdministratorRecovery,
): Promise<RecoveryLink | RecoveryObstacle> => {
  const { tenant } = who;
  const named = await users.findByUsername(tx, tenant, username);
  const person = named && (await users.lock(tx, tenant, named.id));
  if (!person) return 'unknown';
  const { id } = person;
  if (!users.effectiveRoles(person).includes('admin')) return 'no-administrator';
  if (!person.active) return 'deactivated';
  const [ways] = await listWaysIn(tx, tenant, [id]);
  const canSignIn = !ways || ways.password || ways.passkeys > 0 || ways.identityProviders.length > 0;
  if (canSignIn && !again) return 'can-sign-in';

  const version = await links.setHash(tx, tenant, id, passwordHash);
  await removeTotp(tx, tenant, id);
  await removeRecoveryCodes(tx, tenant, id);
  await removePasskeys(tx, tenant, id);
  await endOfUser(tx, tenant, id);
  await revokeOfUser(tx, tenant, id);
  await event(tx, who, 'user.reset', { entity: 'User', id, version });
  if (passwordHash === null) return issueLink(tx, who, id, canSignIn ? 'reset' : 'invitation');
  await links.removeOfUser(tx, tenant, id);
  return { token: null, expiresAt: null };
};
