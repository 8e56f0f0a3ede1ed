import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import * as denylist from '@landfall/kernel/identity/denylist';
import { denyOfParty } from '../revocation/exchanged-tokens.store.ts';
import { endOfUser } from '../sign-in/sessions.store.ts';
import * as tenants from '../tenants/tenants.store.ts';
import { denyAccessTokensOfUsers, revokeOfUser } from '../tokens/families.store.ts';
import { removeOfUser as removeLinksOfUser } from './account-links.store.ts';
import * as store from './users.store.ts';

// What becomes of a person's standing is decided here for every door: the graph, a directory's SCIM and the groups.

const isAdministrator = (user: store.User): boolean => user.active && store.effectiveRoles(user).includes('admin');

/**
 * Begins a change that may take the last administrator away. Two such changes of a tenant come one after the other, and
 * this lock is taken before any row's, so that neither waits for the other.
 */
export const lockStatusChanges = (tx: Tx, tenant: TenantId): Promise<number> => tenants.serialize(tx, tenant);

/**
 * Ends it: without an active administrator a tenant could only be helped by the operator of the installation.
 * @param before who the change touched, as they were
 * @throws Fault RES_CONFLICT
 */
export const requireAnAdministrator = async (
  tx: Tx,
  tenant: TenantId,
  before: readonly store.User[],
): Promise<void> => {
  const last = before.find(isAdministrator);
  if (!last || (await store.hasActiveWithRole(tx, tenant, 'admin'))) return;
  throw new Fault(
    'RES_CONFLICT',
    `${last.displayName} is the last active administrator of this tenant. Give somebody else the role admin first.`,
    { state: 'last_administrator', id: last.id },
  );
};

/** Whether a person holds less than before, so that what was issued to them says too much. */
export const losesRole = (before: store.User, after: store.User): boolean =>
  store.effectiveRoles(before).some((role) => !store.effectiveRoles(after).includes(role));

/** Denies the live access tokens of people who hold less than before; their next ones say what they hold. */
export const denyLiveTokens = async (tx: Tx, tenant: TenantId, ids: readonly store.UserId[]): Promise<void> => {
  if (ids.length > 0) await denyAccessTokensOfUsers(tx, tenant, ids);
};

/**
 * Stops a person: ends sessions and families and denies whatever was issued to them, so that at this transaction's
 * commit nothing of theirs works. `beginStanding` comes before it, and no event of the same caller after it.
 * @throws Fault RES_CONFLICT for the last administrator
 */
export const deactivate = async (tx: Tx, who: Who, before: store.User): Promise<store.User> => {
  const { tenant } = who;
  const { id } = before;
  const user = await store.setActive(tx, tenant, id, false);
  await requireAnAdministrator(tx, tenant, [before]);
  // Before anything is denied: the caller may be this very person.
  await event(tx, who, 'user.deactivate', { entity: 'User', id, version: user.version });
  await endOfUser(tx, tenant, id);
  await revokeOfUser(tx, tenant, id);
  await denyOfParty(tx, tenant, id);
  await removeLinksOfUser(tx, tenant, id);
  await denylist.stop(tx, 'user', id);
  return user;
};

/** Lets a person sign in again; what was ended stays so. */
export const reactivate = async (tx: Tx, who: Who, id: store.UserId): Promise<store.User> => {
  const user = await store.setActive(tx, who.tenant, id, true);
  await denylist.readmit(tx, 'user', id);
  await event(tx, who, 'user.reactivate', { entity: 'User', id, version: user.version });
  return user;
};
