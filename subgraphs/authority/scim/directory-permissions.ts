import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Group } from '../groups/groups.store.ts';
import { heldByRoles } from '../protocol/scopes.ts';
import { effectiveRoles, type User } from '../users/users.store.ts';

// A directory governs the people and groups that it made, and groups that an administrator mapped to it. With
// `authority:scim` alone nobody becomes an administrator, or another person whom it did not make.

const ADMIN = 'authority:admin';

const bringsAdmin = (roles: readonly string[]): boolean => heldByRoles(roles, [ADMIN]).length > 0;

const mayAnything = ({ scopes }: Who): boolean => scopes.has(ADMIN);

const refused = (what: string): Fault =>
  new Fault('PERM_ACTION_DENIED', `A directory may not ${what}. An administrator of Landfall can.`, { scope: ADMIN });

/** What a directory wants of somebody who is there. */
export interface RequestedChange {
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly isNewPassword: boolean;
  /** Undefined: it does not say. */
  readonly active: boolean | undefined;
}

/** A person as they are before the change. */
export interface ExistingPerson {
  readonly user: User;
  /** The directory made the person. */
  readonly isProvisioned: boolean;
}

/** Whether a person is the directory's own: it may rename, delete and replace them. */
export const isManagedBy = (who: Who, { user, isProvisioned }: ExistingPerson): boolean =>
  mayAnything(who) || (isProvisioned && !bringsAdmin(effectiveRoles(user)));

/**
 * People whom the directory did not make, and administrators, can be stopped by it, since who left has left. Nobody of
 * them is somebody that it can sign in as, or whose e-mail it chooses.
 * @throws Fault PERM_ACTION_DENIED
 */
export const refuseTakeover = (who: Who, known: ExistingPerson, wanted: RequestedChange): void => {
  if (isManagedBy(who, known)) return;
  const { user, isProvisioned } = known;
  const whom = bringsAdmin(effectiveRoles(user)) ? 'an administrator' : 'a person whom it did not make';
  if (wanted.isNewPassword) throw refused(`set the password of ${whom}`);
  if (wanted.username !== user.username) throw refused(`change the user name of ${whom}`);
  if (wanted.email !== user.email) throw refused(`change the e-mail of ${whom}`);
  if (!isProvisioned && wanted.displayName !== user.displayName) throw refused(`change the display name of ${whom}`);
  if (wanted.active === true && !user.active) throw refused(`let ${whom} in again`);
};

/**
 * A group is the directory's to change when the directory made it, or when an administrator named `scim` as one of its
 * sources.
 * @throws Fault PERM_ACTION_DENIED
 */
export const refuseForeignGroup = (who: Who, group: Pick<Group, 'sources' | 'isProvisioned'>): void => {
  if (!mayAnything(who) && !group.isProvisioned && !group.sources.includes('scim'))
    throw refused('change a group that it did not make and that is not mapped to it');
};
