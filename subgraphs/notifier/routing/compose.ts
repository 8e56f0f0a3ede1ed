import { Fault } from '@landfall/kernel/core/fault';
import * as channels from '../channels/channels.store.ts';
import type { Compose } from '../deliveries/compose.ts';
import * as events from '../events/events.store.ts';
import * as templates from '../templates/templates.store.ts';
import * as groupEvents from './group-events.store.ts';
import * as groups from './groups.store.ts';
import { messageOf } from './message.ts';
import { candidatesOf } from './template-candidates.ts';

/** Creates the rendering of a delivery's event for another channel. */
export const createCompose =
  ({ baseUrl }: { readonly baseUrl: string }): Compose =>
  async (tx, tenant, { delivery, deliveryId, channelId }) => {
    const channel = await channels.get(tx, tenant, channelId);
    const event = await events.get(tx, tenant, delivery.eventId);
    const own = (await templates.listCompiledOf(tx, tenant)).map(({ compiled }) => compiled);
    const { templateKey, reason, id, groupId = null } = delivery;
    const told = id === undefined || groupId === null ? [] : await groupEvents.listToldBy(tx, tenant, id);
    const group = groupId === null ? undefined : await groups.find(tx, tenant, groupId);
    const members = await events.listByIds(tx, tenant, [...told.map(({ eventId }) => eventId), event.id]);
    const message = messageOf(
      { tenant, templates: candidatesOf(tenant, own) },
      {
        event,
        members: members.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        addressee: { deliveryId, ruleId: delivery.ruleId, channelId, groupKey: group?.key ?? null },
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
