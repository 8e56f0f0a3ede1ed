import { type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import * as channels from '../channels/channels.store.ts';
import * as events from '../events/events.store.ts';
import { actionsOf, matchersOf } from '../rules/rule-input.ts';
import * as rules from '../rules/rules.store.ts';
import type { Signal } from '../shared/signal.ts';

/** Tenant of the heartbeat, which nobody signs in to. */
const TENANT: TenantId = toTenantId('landfall-heartbeat');
const NAME = 'notifier.heartbeat';

interface HeartbeatDeps extends Pick<Deps, 'database' | 'clock' | 'ids'> {
  /** Address that expects a POST each minute; undefined for none. */
  readonly url: string | undefined;
  /** Notified once the event is accepted. */
  readonly accepted: Signal;
}

/**
 * Creates the duty that sends an event through the whole pipeline each minute: its delivery is the heartbeat that a
 * monitor outside expects, so that its absence tells of any part that stands still.
 */
export const createHeartbeat = ({ database, clock, ids, url, accepted }: HeartbeatDeps): readonly Duty[] => {
  if (url === undefined) return [];

  const createRule = async (tx: Tx, channelId: channels.ChannelId): Promise<void> => {
    const rule = await rules.insertIfAbsent(tx, TENANT, {
      id: toId(ids.uuid(), 'NotificationRule'),
      name: NAME,
      priority: 1,
      isEnabled: true,
      definition: {
        matchers: matchersOf([{ path: 'kind', op: 'eq', values: [NAME] }]),
        continues: false,
        actions: actionsOf([{ channelId, templateKey: 'generic' }]),
      },
      createdBy: NAME,
    });
    if (rule) await rules.publish(tx, TENANT);
  };

  /** Creates the channel and its rule, or gives the channel the address of today's setting. */
  const prepare = async (tx: Tx): Promise<void> => {
    const known = await channels.findByName(tx, TENANT, NAME);
    if (known?.config.url === url && known.isEnabled) return;
    if (known) await channels.update(tx, TENANT, known.id, { config: { url }, isEnabled: true, disabledReason: null });
    const channel =
      known ??
      (await channels.insertIfAbsent(tx, TENANT, {
        id: toId(ids.uuid(), 'NotificationChannel'),
        name: NAME,
        type: 'webhook',
        config: { url },
        credential: null,
        createdBy: NAME,
      }));
    if (channel) await createRule(tx, channel.id);
  };

  const run = async (): Promise<void> => {
    await database.system.write(async (tx) => {
      await prepare(tx);
      await events.insertAll(tx, [
        {
          tenant: TENANT,
          id: toId(ids.uuid(), 'NotificationEvent'),
          producer: 'platform',
          eventId: ids.uuid(),
          kind: NAME,
          at: clock.now(),
          actor: null,
          severity: 'info',
          status: 'firing',
          attributes: {},
          payload: { summary: 'Notifications are delivered.' },
          correlationId: ids.uuid(),
        },
      ]);
    });
    accepted.notify();
  };

  return [{ name: NAME, pattern: '* * * * *', run }];
};
