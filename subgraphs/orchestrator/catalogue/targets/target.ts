import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { expectVersion } from '../../shared/expected-version.ts';
import * as store from './targets.store.ts';

export const {
  findLocked,
  lockEnabled,
  isEnabled,
  list,
  listByAgent,
  listByAgents,
  listByEnvironments,
  listByIds,
  listUses,
  touch,
} = store;
export type Target = store.Target;

/**
 * Locks a target until the transaction ends, and finds a running deployment that uses it. A launch locks its targets
 * too, so that one of the two sees the other.
 * @throws Fault RES_TARGET_NOT_FOUND, RES_VERSION_CONFLICT
 */
export const lockTarget = async (tx: Tx, who: Who, id: store.TargetId, expected: number) => {
  const target = await store.getLocked(tx, who.tenant, id);
  expectVersion(target, expected);
  const [use] = await store.listUses(tx, who.tenant, [id]);
  return { target, use };
};
