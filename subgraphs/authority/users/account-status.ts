import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as denylist from '@landfall/kernel/identity/denylist';
import { denyAccessTokensOfUsers, denyExchangedTokensOf, endSignInsOfUser } from '../revocation/revocation.ts';
import * as tenants from '../tenants/tenants.ts';
import { removeOfUser as removeLinksOfUser } from './account-links.store.ts';
import { userEvent } from './user-events.ts';
import * as store from './users.store.ts';

// Rules of activating and deactivating people, for the graph, SCIM and groups.

const isAdministrator = (user: store.User): boolean => user.active && store.effectiveRoles(user).includes('admin');

/** Serialises changes that may remove the last administrator. Taken before any row lock, to prevent deadlocks. */
export const lockStatusChanges = (tx: Tx, tenant: TenantId): Promise<number> => tenants.serialize(tx, tenant);

/** Throws Fault RES_CONFLICT when a change of these people leaves the tenant without an active administrator. */
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

export const losesRole = (before: store.User, after: store.User): boolean =>
  store.effectiveRoles(before).some((role) => !store.effectiveRoles(after).includes(role));

/** Denies the live access tokens of people who lost roles; their next ones carry the remaining rights. */
export const denyLiveTokens = async (tx: Tx, tenant: TenantId, ids: readonly store.UserId[]): Promise<void> => {
  if (ids.length > 0) await denyAccessTokensOfUsers(tx, tenant, ids);
};

/**
 * Deactivates a person and revokes everything issued to them, effective at commit. After `lockStatusChanges`; no event
 * of the same caller may follow.
 * @throws Fault RES_CONFLICT for the last administrator
 */
export const deactivate = async (tx: Tx, caller: Who, before: store.User): Promise<store.User> => {
  const { tenant } = caller;
  const { id } = before;
  const user = await store.update(tx, tenant, id, { active: false });
  await requireAnAdministrator(tx, tenant, [before]);
  // Before anything is denied: the caller may be this very person.
  await userEvent(tx, caller, 'user.deactivate', user);
  await endSignInsOfUser(tx, tenant, id);
  await denyExchangedTokensOf(tx, tenant, id);
  await removeLinksOfUser(tx, tenant, id);
  await denylist.stop(tx, 'user', id);
  return user;
};

/** Reactivates a person; revoked sessions and tokens stay revoked. */
export const reactivate = async (tx: Tx, caller: Who, id: store.UserId): Promise<store.User> => {
  const user = await store.update(tx, caller.tenant, id, { active: true });
  await denylist.removeStop(tx, 'user', id);
  await userEvent(tx, caller, 'user.reactivate', user);
  return user;
};
