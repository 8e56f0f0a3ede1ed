import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Group } from '../groups/groups.ts';
import { scopesOfRoles } from '../protocol/scopes.ts';
import { effectiveRoles, type User } from '../users/users.ts';

// A directory manages the people and groups that it created, and groups that an administrator mapped to it. The scope
// `authority:scim` alone cannot make a person an administrator, nor change a person whom the directory did not create.

const ADMIN = 'authority:admin';

const grantsAdmin = (roles: readonly string[]): boolean => scopesOfRoles(roles, [ADMIN]).length > 0;

const mayAnything = ({ scopes }: Who): boolean => scopes.has(ADMIN);

const refused = (name: string): Fault =>
  new Fault('PERM_ACTION_DENIED', `A directory may not ${name}. An administrator of Landfall can.`, { scope: ADMIN });

/** Change that a directory requests of a person. */
interface RequestedChange {
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly isNewPassword: boolean;
  /** Undefined: unspecified. */
  readonly active: boolean | undefined;
}

export interface ExistingPerson {
  readonly user: User;
  /** Whether the directory created the person. */
  readonly isProvisioned: boolean;
}

/** Whether the directory manages a person: it may rename, delete and replace them. */
export const isManagedBy = (caller: Who, { user, isProvisioned }: ExistingPerson): boolean =>
  mayAnything(caller) || (isProvisioned && !grantsAdmin(effectiveRoles(user)));

/**
 * Refuses changes of people whom the directory did not create, and of administrators: it may deactivate them, but not
 * set their password, name or e-mail.
 * @throws Fault PERM_ACTION_DENIED
 */
export const refuseTakeover = (caller: Who, known: ExistingPerson, requested: RequestedChange): void => {
  if (isManagedBy(caller, known)) return;
  const { user, isProvisioned } = known;
  const description = grantsAdmin(effectiveRoles(user)) ? 'an administrator' : 'a person whom it did not make';
  if (requested.isNewPassword) throw refused(`set the password of ${description}`);
  if (requested.username !== user.username) throw refused(`change the user name of ${description}`);
  if (requested.email !== user.email) throw refused(`change the e-mail of ${description}`);
  if (!isProvisioned && requested.displayName !== user.displayName)
    throw refused(`change the display name of ${description}`);
  if (requested.active === true && !user.active) throw refused(`let ${description} in again`);
};

/** Throws Fault PERM_ACTION_DENIED for a group that is neither the directory's own nor mapped to it. */
export const refuseForeignGroup = (caller: Who, group: Pick<Group, 'sources' | 'isProvisioned'>): void => {
  if (!mayAnything(caller) && !group.isProvisioned && !group.sources.includes('scim'))
    throw refused('change a group that it did not make and that is not mapped to it');
};
