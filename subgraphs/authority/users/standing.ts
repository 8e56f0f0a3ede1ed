import type { Tx } from '@landfall/kernel/db/query';
import { Fault } from '@landfall/kernel/fault';
import type { TenantId } from '@landfall/kernel/ids';
import { endOfUser } from '../sign-in/sessions.store.ts';
import * as tenants from '../tenants.store.ts';
import { denyAccessTokensOfUsers, revokeOfUser } from '../tokens/families.store.ts';
import * as store from './users.store.ts';

// What a person's standing decides is decided here for every door: the graph, a directory's SCIM and the groups.

const isAdministrator = (user: store.User): boolean => user.active && store.effectiveRoles(user).includes('admin');

/**
 * Begins a change that may take the last administrator away. Two such changes of a tenant come one after the other, and
 * this lock is taken before any row's, so that neither waits for the other.
 */
export const beginStanding = (tx: Tx, tenant: TenantId): Promise<number> => tenants.serialize(tx, tenant);

/**
 * Ends it: without an active administrator a tenant could only be helped by the operator of the installation.
 * @param before who held the role when the change began, as far as it touched them
 * @throws Fault RES_CONFLICT
 */
export const keepAnAdministrator = async (tx: Tx, tenant: TenantId, before: readonly store.User[]): Promise<void> => {
  const last = before.find(isAdministrator);
  if (!last || (await store.hasActiveWithRole(tx, tenant, 'admin'))) return;
  throw new Fault(
    'RES_CONFLICT',
    `${last.displayName} is the last active administrator of this tenant. Give somebody else the role admin first.`,
    { state: 'last_administrator', id: last.id },
  );
};

/** Whether a person holds less than before, so that what was issued to them says too much. */
export const holdsLess = (before: store.User, after: store.User): boolean =>
  store.effectiveRoles(before).some((role) => !store.effectiveRoles(after).includes(role));

/** Denies the live access tokens of people who hold less than before; their next ones say what they hold. */
export const endLiveTokens = async (tx: Tx, tenant: TenantId, ids: readonly store.UserId[]): Promise<void> => {
  if (ids.length > 0) await denyAccessTokensOfUsers(tx, tenant, ids);
};

/** Ends sessions and families and denies live tokens: at this transaction's commit nothing of the person's works. */
export const stop = async (tx: Tx, tenant: TenantId, id: store.UserId): Promise<store.User> => {
  const user = await store.setActive(tx, tenant, id, false);
  await endOfUser(tx, tenant, id);
  await revokeOfUser(tx, tenant, id);
  return user;
};

/** Lets the person sign in again; what was ended stays so. */
export const resume = (tx: Tx, tenant: TenantId, id: store.UserId): Promise<store.User> =>
  store.setActive(tx, tenant, id, true);
