import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { publishEvent } from '../../shared/publish-event.ts';
import * as store from './targets.store.ts';

/** Records the health of a target and publishes an event if it changed. */
export const recordTargetHealth = async (tx: Tx, who: Who, id: store.TargetId, { state, detail }: store.Health) => {
  const before = await store.findLocked(tx, who.tenant, id);
  if (!before) return;
  const target = await store.recordHealth(tx, who.tenant, id, { state, detail }, who.subject);
  if (target.version === before.version) return;
  await publishEvent(tx, who, 'target.health', 'Target', target, { state, before: before.healthState, detail });
};
