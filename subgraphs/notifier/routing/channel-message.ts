import { parseJson } from '@landfall/kernel/core/json';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { StoredEvent } from '../events/events.store.ts';
import type { ChannelType } from '../templates/document.ts';

/** Delivery that a message belongs to. */
export interface Addressee {
  readonly deliveryId: string;
  readonly ruleId: string | null;
  readonly channelId: string;
}

/** Attributes that say how a condition is, not which one it is. */
const STATES = new Set(['severity', 'status']);

/** Key of the condition of an event, the same for its firing and its end. */
const conditionKey = ({ tenant, producer, kind, attributes }: StoredEvent): string => {
  const named = Object.entries(attributes).filter(([name]) => !STATES.has(name));
  return sha256Hex(JSON.stringify([tenant, producer, kind, named.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
};

/**
 * Message of a channel with what only its delivery knows: a webhook's envelope `{type, timestamp, data, delivery}`, the
 * same at each attempt, and PagerDuty's `dedup_key`, by which the end of a condition resolves what its beginning opened.
 */
export const addressedBody = (
  channelType: ChannelType,
  body: string,
  event: StoredEvent,
  { deliveryId, ruleId, channelId }: Addressee,
): string => {
  if (channelType === 'webhook') {
    const delivery = { id: deliveryId, ruleId, channelId };
    return JSON.stringify({ type: event.kind, timestamp: event.at.toISOString(), data: parseJson(body), delivery });
  }
  if (channelType !== 'pagerduty') return body;
  return JSON.stringify({ ...Object(parseJson(body)), dedup_key: `landfall-${conditionKey(event)}` });
};
