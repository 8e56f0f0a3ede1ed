import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { denyLiveTokens, losesRole, requireAnAdministrator } from '../users/account-status.ts';
import { listByIds, type User } from '../users/users.ts';
import * as store from './effective-roles.store.ts';

/**
 * Updates `group_roles` of people in the transaction that changed their groups, after `lockStatusChanges`. People who
 * lose roles lose their live access tokens; a refresh token stays and yields the remaining rights.
 * @throws Fault RES_CONFLICT when it would take the last administrator's role
 */
export const refreshGroupRoles = async (tx: Tx, tenant: TenantId, userIds: readonly string[]): Promise<void> =>
  requireAnAdministrator(tx, tenant, await rewriteGroupRoles(tx, tenant, userIds));

/** As `refreshGroupRoles`, but may remove the last administrator. Returns the people who lost roles. */
export const rewriteGroupRoles = async (
  tx: Tx,
  tenant: TenantId,
  userIds: readonly string[],
): Promise<readonly User[]> => {
  if (userIds.length === 0) return [];
  await store.lock(tx, tenant, userIds);
  const before = await listByIds(tx, tenant, userIds);
  const changed = (await store.refresh(tx, tenant, userIds)).map(({ id }) => id);
  if (changed.length === 0) return [];
  const after = new Map((await listByIds(tx, tenant, changed)).map((user) => [user.id, user]));
  const usersWithFewerRoles = before.filter((previous) => {
    const is = after.get(previous.id);
    return is !== undefined && losesRole(previous, is);
  });
  await denyLiveTokens(
    tx,
    tenant,
    usersWithFewerRoles.map(({ id }) => id),
  );
  return usersWithFewerRoles;
};
