import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, instant } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { NOTIFY_OPERATE, NOTIFY_READ } from '../shared/scopes.ts';
import * as attempts from './attempts.store.ts';
import type { Compose } from './compose.ts';
import * as deadLetters from './dead-letters.store.ts';
import * as store from './deliveries.store.ts';
import { lockJob } from './jobs.store.ts';
import { listMessages } from './messages.store.ts';
import * as suppressions from './suppressions.store.ts';

const record = eventsOf('NotificationDelivery');

/** State of a word that a client wrote in any case (rulings 30). @throws Fault VAL_INVALID_VALUE */
const stateOf = (status: string): store.Delivery['state'] => {
  const wanted = status.toLowerCase();
  const found = store.DELIVERY_STATES.find((state) => state === wanted);
  if (found) return found;
  throw invalid([
    { field: 'status', message: `is none of ${store.DELIVERY_STATES.join(', ')}`, code: 'VAL_INVALID_VALUE' },
  ]);
};

const deliveryId = Type.Object({ id: idOf('NotificationDelivery') });

/** @throws Fault delivery_already_completed (spec 7.3), RES_CONFLICT */
const refuseUnlessRetryable = ({ id, state }: store.Delivery): void => {
  if (state === 'sent' || state === 'delivered')
    throw new Fault('delivery_already_completed', 'The delivery already landed; there is nothing to retry.', {
      id,
      state,
    });
  if (state === 'cancelled')
    throw new Fault('RES_CONFLICT', 'Another delivery took its place. Retry that one.', { id, state });
};

interface DeliveriesDeps extends Pick<Deps, 'operation' | 'ids' | 'clock'> {
  readonly compose: Compose;
}

/** Creates the operations on deliveries (spec 2.9, 4.8). */
export const createDeliveries = ({ operation, ids, clock, compose }: DeliveriesDeps) => ({
  list: operation({
    name: 'delivery.list',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({
      status: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      since: Type.Optional(instant),
      channelId: Type.Optional(idOf('NotificationChannel')),
      eventId: Type.Optional(idOf('NotificationEvent')),
      ...pageFields,
    }),
    run: ({ tenant }, { status, since, channelId, eventId, ...page }, query) =>
      readPage(page, (bounds) =>
        store.list(
          query,
          tenant,
          {
            states: status === undefined ? undefined : [stateOf(status)],
            since: since === undefined ? undefined : new Date(since),
            channelId,
            eventId,
          },
          bounds,
        ),
      ),
  }),

  get: operation({
    name: 'delivery.get',
    kind: 'read',
    scope: NOTIFY_READ,
    input: deliveryId,
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('NotificationDelivery') },
    run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
  }),

  /** Deliveries of some ids, for loaders. */
  listOfIds: operation({
    name: 'delivery.listOfIds',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ ids: Type.Array(idOf('NotificationDelivery'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('NotificationDelivery')] },
    run: ({ tenant }, { ids: wanted }, query) => store.listByIds(query, tenant, wanted),
  }),

  /** Messages of deliveries as they are sent, for loaders. */
  messages: operation({
    name: 'delivery.messages',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ ids: Type.Array(idOf('NotificationDelivery'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('NotificationDelivery')] },
    run: ({ tenant }, { ids: wanted }, query) => listMessages(query, tenant, wanted),
  }),

  attempts: operation({
    name: 'delivery.attempts',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ ids: Type.Array(idOf('NotificationDelivery'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('NotificationDelivery')] },
    run: ({ tenant }, { ids: wanted }, query) => attempts.listOfDeliveries(query, tenant, wanted),
  }),

  suppressions: operation({
    name: 'notificationSuppression.list',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object(pageFields),
    run: ({ tenant }, page, query) => readPage(page, (bounds) => suppressions.list(query, tenant, bounds)),
  }),

  stats: operation({
    name: 'delivery.stats',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ since: Type.Optional(instant) }),
    async run({ tenant }, { since }, query) {
      const counts = await store.countByState(query, tenant, since === undefined ? undefined : new Date(since));
      const byState = new Map(counts.map(({ state, count }) => [state, count]));
      const of = (state: store.Delivery['state']): number => byState.get(state) ?? 0;
      const succeeded = of('sent') + of('delivered');
      const ended = succeeded + of('dead-lettered');
      return {
        total: counts.reduce((sum, { count }) => sum + count, 0),
        counts: store.DELIVERY_STATES.map((state) => ({ state, count: of(state) })),
        /** From 0 to 1 of those that ended; null where none did. */
        successRate: ended === 0 ? null : succeeded / ended,
        openDeadLetters: await deadLetters.countOpen(query, tenant, {}),
      };
    },
  }),

  /** Sends a delivery again; on another channel it is a delivery of its own. */
  retry: operation({
    name: 'delivery.retry',
    kind: 'write',
    scope: NOTIFY_OPERATE,
    input: Type.Object({
      id: idOf('NotificationDelivery'),
      reason: Type.Optional(freeText(500)),
      /** Id of the channel to send it on instead. */
      forceChannel: Type.Optional(idOf('NotificationChannel')),
    }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT', 'delivery_already_completed'],
    example: { id: exampleId('NotificationDelivery'), reason: 'The receiver was mended.' },
    async run(who, { id, reason, forceChannel }, tx) {
      const { tenant } = who;
      const isUnderWay = await lockJob(tx, tenant, id, clock.now());
      const known = await store.getLocked(tx, tenant, id);
      refuseUnlessRetryable(known);
      if (isUnderWay)
        throw new Fault('RES_CONFLICT', 'The delivery is being sent now. Look at its result first.', { id });
      await deadLetters.settleOfDelivery(tx, tenant, id, who.subject);
      const facts = { ...(reason !== undefined && { reason }), attempts: known.attempts, state: known.state };
      if (forceChannel === undefined || forceChannel === known.channelId) {
        const delivery = await store.requeue(tx, tenant, id);
        await record(tx, who, 'delivery.retry', delivery, facts);
        return delivery;
      }
      const siblingId = toId(ids.uuid(), 'NotificationDelivery');
      const composed = await compose(tx, tenant, { delivery: known, deliveryId: siblingId, channelId: forceChannel });
      await store.insertAll(tx, [
        {
          ...known,
          ...composed,
          tenant,
          id: siblingId,
          channelId: forceChannel,
          actionIndex: null,
          forcedFrom: id,
        },
      ]);
      await store.cancel(tx, tenant, id);
      await record(tx, who, 'delivery.retry', { id }, { ...facts, forceChannel, deliveryId: siblingId });
      return store.get(tx, tenant, siblingId);
    },
  }),
});

export type Deliveries = ReturnType<typeof createDeliveries>;
