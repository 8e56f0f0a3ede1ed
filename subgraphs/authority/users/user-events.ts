import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';

/** Writes an event of a person. */
export const userEvent = (
  tx: Tx,
  who: Who,
  type: string,
  { id, version }: { readonly id: string; readonly version: number },
  data: Readonly<Record<string, unknown>> = {},
): Promise<void> => event(tx, who, type, { entity: 'User', id, version, data });
