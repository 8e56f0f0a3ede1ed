import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as channels from '../channels/channels.store.ts';
import type { Compose } from '../deliveries/compose.ts';
import type { Delivery } from '../deliveries/deliveries.store.ts';
import * as events from '../events/events.store.ts';
import * as people from '../people/people.store.ts';
import * as rules from '../rules/rules.store.ts';
import * as templates from '../templates/templates.store.ts';
import * as groupEvents from './group-events.store.ts';
import * as groups from './groups.store.ts';
import { messageOf } from './message.ts';
import { candidatesOf } from './template-candidates.ts';

/** Language and zone in which the delivery of an event was written: those of its action and its person. */
const readerOf = async (
  tx: Tx,
  tenant: TenantId,
  { ruleSetVersion }: events.StoredEvent,
  { ruleId, actionIndex, recipient }: Partial<Delivery>,
) => {
  const person = recipient ? await people.find(tx, tenant, recipient) : undefined;
  const set = ruleSetVersion === null ? undefined : await rules.findRuleSet(tx, tenant, ruleSetVersion);
  const action = set?.rules.find(({ id }) => id === ruleId)?.actions[actionIndex ?? -1];
  return { locale: action?.locale ?? person?.locale, timeZone: person?.timeZone };
};

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
    const { locale, timeZone } = await readerOf(tx, tenant, event, delivery);
    const message = messageOf(
      { tenant, templates: candidatesOf(tenant, own) },
      {
        event,
        members: members.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        addressee: { deliveryId, ruleId: delivery.ruleId, channelId, groupKey: group?.key ?? null },
        channelType: channel.type,
        action: { templateKey, ...(locale !== undefined && { locale }) },
        reason,
        baseUrl,
        zone: timeZone,
      },
    );
    if (message.kind === 'none')
      throw new Fault('RES_CONFLICT', message.reason, { templateKey, channelType: channel.type });
    return message;
  };
