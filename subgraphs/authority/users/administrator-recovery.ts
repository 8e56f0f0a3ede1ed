import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { endSignInsOfUser } from '../revocation/revocation.ts';
import * as links from './account-links.store.ts';
import { type ClearFactors, issueLink } from './account-links.ts';
import { listSignInMethods } from './sign-in-methods.store.ts';
import { userEvent } from './user-events.ts';
import * as users from './users.store.ts';

/** Reasons not to restore an administrator's access. */
export type RecoveryObstacle = 'unknown' | 'no-administrator' | 'deactivated' | 'can-sign-in';

/** Token of a link, shown once; null where the person was given a password. */
export interface RecoveryLink {
  readonly token: string | null;
  readonly expiresAt: Date | null;
}

interface AdministratorRecovery {
  readonly username: string;
  /** Null: the person chooses one by a link. */
  readonly passwordHash: string | null;
  /** Whether to reset a person who can sign in too. */
  readonly force: boolean;
  readonly clearFactors: ClearFactors;
}

/** Restores an administrator's access by a password or link; former factors, sessions and tokens end. */
export const recoverAdministrator = async (
  tx: Tx,
  caller: Who,
  { username, passwordHash, force, clearFactors }: AdministratorRecovery,
): Promise<RecoveryLink | RecoveryObstacle> => {
  const { tenant } = caller;
  const named = await users.findByUsername(tx, tenant, username);
  const person = named && (await users.findLocked(tx, tenant, named.id));
  if (!person) return 'unknown';
  const { id } = person;
  if (!users.effectiveRoles(person).includes('admin')) return 'no-administrator';
  if (!person.active) return 'deactivated';
  const [predecessors] = await listSignInMethods(tx, tenant, [id]);
  const canSignIn =
    !predecessors || predecessors.password || predecessors.passkeys > 0 || predecessors.identityProviders.length > 0;
  if (canSignIn && !force) return 'can-sign-in';

  const changed = await users.update(tx, tenant, id, { passwordHash });
  await clearFactors(tx, tenant, id);
  await endSignInsOfUser(tx, tenant, id);
  await userEvent(tx, caller, 'user.reset', changed);
  if (passwordHash === null) return issueLink(tx, caller, id, canSignIn ? 'reset' : 'invitation');
  await links.removeOfUser(tx, tenant, id);
  return { token: null, expiresAt: null };
};
