import { parseJson } from '@landfall/kernel/core/json';
import { conditionKey } from '../events/condition-key.ts';
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

/**
 * Message of a channel with what only its delivery knows: a webhook's envelope `{type, timestamp, data, delivery}`, the
 * same at each attempt, and PagerDuty's `dedup_key`, by which the end of a condition, or of
 * all of a group, resolves what its beginning opened; with it the key of a condition without a group.
 */
export const addressed = (
  channelType: ChannelType,
  body: string,
  event: StoredEvent,
  { deliveryId, ruleId, channelId, groupKey }: Addressee,
): { readonly body: string; readonly conditionKey: string | null } => {
  if (channelType === 'webhook') {
    const delivery = { id: deliveryId, ruleId, channelId };
    const envelope = { type: event.kind, timestamp: event.at.toISOString(), data: parseJson(body), delivery };
    return { body: JSON.stringify(envelope), conditionKey: null };
  }
  if (channelType !== 'pagerduty') return { body, conditionKey: null };
  const key = groupKey ?? conditionKey(event);
  return {
    body: JSON.stringify({ ...Object(parseJson(body)), dedup_key: `landfall-${key}` }),
    conditionKey: groupKey === null ? key : null,
  };
};
