import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { conditionAttributes } from './event.ts';
import type { StoredEvent } from './events.store.ts';

/** Key of the condition of an event, the same for its firing and its end. */
export const conditionKey = (event: Pick<StoredEvent, 'tenant' | 'producer' | 'kind' | 'attributes'>): string => {
  const named = Object.entries(conditionAttributes(event)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([event.tenant, event.producer, event.kind, named]));
};
