import { createBatch, createBatchOfMany, createBatchOfOne } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Channel } from './channels/channels.store.ts';
import type { WebhookSecret } from './channels/webhook-secrets.store.ts';
import type { Attempt } from './deliveries/attempts.store.ts';
import type { Delivery } from './deliveries/deliveries.store.ts';
import type { DeliveryMessage } from './deliveries/messages.store.ts';
import type { StoredEvent } from './events/events.store.ts';

/** Operations that read many things of one kind at once. */
interface Lists {
  readonly channels: (caller: Caller, input: { readonly ids: readonly string[] }) => Promise<readonly Channel[]>;
  readonly secrets: (
    caller: Caller,
    input: { readonly channelIds: readonly string[] },
  ) => Promise<readonly WebhookSecret[]>;
  readonly deliveries: (caller: Caller, input: { readonly ids: readonly string[] }) => Promise<readonly Delivery[]>;
  readonly attempts: (caller: Caller, input: { readonly ids: readonly string[] }) => Promise<readonly Attempt[]>;
  readonly messages: (
    caller: Caller,
    input: { readonly ids: readonly string[] },
  ) => Promise<readonly DeliveryMessage[]>;
  readonly events: (caller: Caller, input: { readonly ids: readonly string[] }) => Promise<readonly StoredEvent[]>;
}

/** A delivery and its message are one row, which is there as long as the delivery is. */
const raise = (id: string): never => {
  throw new RangeError(`The delivery ${id} has no message.`);
};

/** Loaders of one request. */
export const createLoaders = (caller: Caller, lists: Lists) => ({
  channel: createBatchOfOne((ids) => lists.channels(caller, { ids }), 'id'),
  secretsOf: createBatchOfMany((channelIds) => lists.secrets(caller, { channelIds }), 'channelId'),
  event: createBatchOfOne((ids) => lists.events(caller, { ids }), 'id'),
  delivery: createBatchOfOne((ids) => lists.deliveries(caller, { ids }), 'id'),
  message: createBatch(async (ids: readonly string[]): Promise<readonly DeliveryMessage[]> => {
    const found = new Map((await lists.messages(caller, { ids })).map((each) => [String(each.id), each]));
    return ids.map((id) => found.get(id) ?? raise(id));
  }),
  attemptsOf: createBatchOfMany((ids) => lists.attempts(caller, { ids }), 'deliveryId'),
});

export type Loaders = ReturnType<typeof createLoaders>;
