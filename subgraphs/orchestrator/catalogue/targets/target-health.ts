import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { publishEvent } from '../../shared/publish-event.ts';
import * as store from './targets.store.ts';

/** Records the health of a target and publishes an event if it changed. */
export const recordTargetHealth = async (tx: Tx, caller: Who, id: store.TargetId, { state, detail }: store.Health) => {
  const before = await store.findLocked(tx, caller.tenant, id);
  if (!before) return;
  const target = await store.recordHealth(tx, caller.tenant, id, { state, detail }, caller.subject);
  if (target.version === before.version) return;
  await publishEvent(tx, caller, 'target.health', 'Target', target, { state, before: before.healthState, detail });
};
