import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import * as channels from '../channels/channels.store.ts';
import type { Compose } from '../deliveries/compose.ts';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as events from '../events/events.store.ts';
import { NOTIFY_ADMIN } from '../shared/scopes.ts';
import type { Signal } from '../shared/signal.ts';

const record = eventsOf('NotificationDelivery');

/** Kind of the event of a test, and key of its template. */
export const TEST_KIND = 'channel.test';
const TEMPLATE_KEY = 'test';

interface ChannelTestDeps extends Pick<Deps, 'operation' | 'clock' | 'ids'> {
  readonly compose: Compose;
  /** Notified once the delivery is due. */
  readonly due: Signal;
}

/** Creates the operation that sends a test message on a channel. Rules are not asked: its event is stored as routed. */
export const createChannelTest = ({ operation, clock, ids, compose, due }: ChannelTestDeps) =>
  operation({
    name: 'notificationChannel.test',
    kind: 'write',
    scope: NOTIFY_ADMIN,
    cost: 0,
    input: Type.Object({ channelId: idOf('NotificationChannel') }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { channelId: exampleId('NotificationChannel') },
    prepare: async () => undefined,
    async run(who, { channelId }, tx) {
      const { tenant, subject, correlationId } = who;
      const channel = await channels.get(tx, tenant, channelId);
      if (!channel.isEnabled)
        throw new Fault('RES_CONFLICT', `The channel ${channel.name} is disabled. Enable it, then send a test.`, {
          disabledReason: channel.disabledReason,
        });
      const eventId = toId(ids.uuid(), 'NotificationEvent');
      await events.insertAll(tx, [
        {
          tenant,
          id: eventId,
          producer: 'platform',
          eventId: `test-${eventId}`,
          kind: TEST_KIND,
          at: clock.now(),
          actor: subject,
          severity: 'info',
          status: 'firing',
          attributes: { channel: channel.name, channelId, path: `/notify/channels/${channelId}` },
          payload: {},
          correlationId,
        },
      ]);
      await events.setRouted(tx, [{ tenant, id: eventId, ruleSetVersion: null }]);
      const deliveryId = toId(ids.uuid(), 'NotificationDelivery');
      const wanted = { eventId, ruleId: null, templateKey: TEMPLATE_KEY, reason: 'test' } as const;
      const message = await compose(tx, tenant, { delivery: wanted, deliveryId, channelId });
      await deliveries.insertAll(tx, [
        { ...wanted, ...message, tenant, id: deliveryId, channelId, actionIndex: null, correlationId },
      ]);
      await record(tx, who, 'notificationChannel.test', { id: deliveryId }, { channelId, eventId });
      return deliveries.get(tx, tenant, deliveryId);
    },
    committed: () => due.notify(),
  });

export type ChannelTest = ReturnType<typeof createChannelTest>;
