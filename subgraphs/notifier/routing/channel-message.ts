import { parseJson } from '@landfall/kernel/core/json';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { conditionAttributes } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { ChannelType } from '../templates/document.ts';

/** Delivery that a message belongs to. */
export interface Addressee {
  readonly deliveryId: string;
  readonly ruleId: string | null;
  readonly channelId: string;
  /** Key of the group that the message is about; null for a message about one event. */
  readonly groupKey: string | null;
}

/** Key of the condition of an event, the same for its firing and its end. */
export const conditionKey = (event: StoredEvent): string => {
  const named = Object.entries(conditionAttributes(event)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([event.tenant, event.producer, event.kind, named]));
};

/**
 * Message of a channel with what only its delivery knows: a webhook's envelope `{type, timestamp, data, delivery}`, the
 * same at each attempt, and PagerDuty's `dedup_key`, by which the end of a condition, or of
 * all of a group, resolves what its beginning opened.
 */
export const addressedBody = (
  channelType: ChannelType,
  body: string,
  event: StoredEvent,
  { deliveryId, ruleId, channelId, groupKey }: Addressee,
): string => {
  if (channelType === 'webhook') {
    const delivery = { id: deliveryId, ruleId, channelId };
    return JSON.stringify({ type: event.kind, timestamp: event.at.toISOString(), data: parseJson(body), delivery });
  }
  if (channelType !== 'pagerduty') return body;
  return JSON.stringify({ ...Object(parseJson(body)), dedup_key: `landfall-${groupKey ?? conditionKey(event)}` });
};
