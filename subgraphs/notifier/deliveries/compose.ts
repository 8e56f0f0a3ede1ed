import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Delivery } from './deliveries.store.ts';

/** Message that is ready to be sent. */
interface ComposedMessage {
  readonly subject: string | null;
  readonly body: string;
  /** Plain-text part of an HTML mail. */
  readonly text: string | null;
  readonly contentType: string;
  readonly conditionKey: string | null;
}

/**
 * Renders the message of a delivery for another channel.
 * @throws Fault RES_NOT_FOUND where there is no such channel, RES_CONFLICT where no template fits it
 */
export type Compose = (
  tx: Tx,
  tenant: TenantId,
  wanted: {
    readonly delivery: Pick<Delivery, 'eventId' | 'ruleId' | 'templateKey' | 'reason'> & Partial<Delivery>;
    readonly deliveryId: string;
    readonly channelId: Delivery['channelId'];
  },
) => Promise<ComposedMessage>;
