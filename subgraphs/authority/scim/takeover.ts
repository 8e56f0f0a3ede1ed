import type { Who } from '@landfall/kernel/caller';
import { Fault } from '@landfall/kernel/fault';
import type { Group } from '../groups/groups.store.ts';
import { heldByRoles } from '../scopes.ts';
import { effectiveRoles, type User } from '../users/users.store.ts';

// A directory says who there is, not who administrates: with `authority:scim` alone nobody becomes an administrator.

const ADMIN = 'authority:admin';

const bringsAdmin = (roles: readonly string[]): boolean => heldByRoles(roles, [ADMIN]).length > 0;

const mayAnything = ({ scopes }: Who): boolean => scopes.has(ADMIN);

const refused = (what: string): Fault =>
  new Fault('PERM_ACTION_DENIED', `A directory may not ${what}. An administrator of Landfall can.`, { scope: ADMIN });

/** What a directory wants of somebody who is there. */
export interface Wanted {
  readonly username: string;
  readonly isNewPassword: boolean;
  /** Undefined: it does not say. */
  readonly active: boolean | undefined;
}

/**
 * An administrator can be stopped by a directory, since who left has left, and is nobody that it can sign in as.
 * @throws Fault PERM_ACTION_DENIED
 */
export const refuseTakeover = (who: Who, before: User, wanted: Wanted): void => {
  if (mayAnything(who) || !bringsAdmin(effectiveRoles(before))) return;
  if (wanted.isNewPassword) throw refused('set the password of an administrator');
  if (wanted.username !== before.username) throw refused('change the user name of an administrator');
  if (wanted.active === true && !before.active) throw refused('let an administrator in again');
};

/**
 * Into a group that makes administrators a directory puts people only when the group is the directory's own: its mapping
 * says that an administrator trusts the directory with it.
 * @throws Fault PERM_ACTION_DENIED
 */
export const refusePromotion = (who: Who, group: Pick<Group, 'roles' | 'isProvisioned'>, joins: boolean): void => {
  if (joins && !mayAnything(who) && !group.isProvisioned && bringsAdmin(group.roles))
    throw refused('add people to a group that makes administrators and that it did not make');
};
