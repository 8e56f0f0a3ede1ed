import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';

/** Publishes an event about a row, in the version that this transaction gave it. */
export const publishEvent = (
  tx: Tx,
  caller: Who,
  type: string,
  entity: string,
  { id, version }: { readonly id: string; readonly version: number },
  data: Readonly<Record<string, unknown>> = {},
): Promise<void> => event(tx, caller, type, { entity, id, version, data });
