import { Fault } from '@landfall/kernel/core/fault';
import * as channels from '../channels/channels.store.ts';
import type { Compose } from '../deliveries/compose.ts';
import * as events from '../events/events.store.ts';
import * as templates from '../templates/templates.store.ts';
import { messageOf } from './message.ts';
import { candidatesOf } from './template-candidates.ts';

/** Creates the rendering of a delivery's event for another channel. */
export const createCompose =
  ({ baseUrl }: { readonly baseUrl: string }): Compose =>
  async (tx, tenant, { delivery, deliveryId, channelId }) => {
    const channel = await channels.get(tx, tenant, channelId);
    const event = await events.get(tx, tenant, delivery.eventId);
    const own = (await templates.listCompiledOf(tx, tenant)).map(({ compiled }) => compiled);
    const { templateKey, reason } = delivery;
    const message = messageOf(
      { tenant, templates: candidatesOf(tenant, own) },
      {
        event,
        addressee: { deliveryId, ruleId: delivery.ruleId, channelId },
        channelType: channel.type,
        action: { templateKey },
        reason,
        baseUrl,
      },
    );
    if (message.kind === 'none')
      throw new Fault('RES_CONFLICT', message.reason, { templateKey, channelType: channel.type });
    return message;
  };
