import { toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { freeText, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import * as events from '../events/events.store.ts';
import { NOTIFY_OPERATE } from '../shared/scopes.ts';
import type { Signal } from '../shared/signal.ts';

const packId = patterned(
  '^[A-Za-z0-9][A-Za-z0-9._:@-]*$',
  'may have letters, digits, dots, dashes, colons and @ only',
  {
    maxLength: 200,
  },
);

const ACKNOWLEDGED = 'pack.approval.acknowledged';

/** Creates the acceptance that somebody took on the approval of a pack (spec 4.8): an event of the producer `pack`. */
export const createPackAcknowledgement = ({
  operation,
  clock,
  ids,
  accepted,
}: Pick<Deps, 'operation' | 'clock' | 'ids'> & {
  /** Notified once an event is stored. */ readonly accepted: Signal;
}) =>
  operation({
    name: 'notificationEvent.acknowledgePack',
    kind: 'write',
    scope: NOTIFY_OPERATE,
    isBeat: true,
    cost: 0,
    input: Type.Object({
      packId,
      /** Actor as the caller claims it; the verified subject is kept beside it (rulings 36). */
      actor: Type.Optional(freeText(200)),
      comment: Type.Optional(freeText(2_000)),
    }),
    example: { packId: 'pack-1' },
    async prepare({ tenant, subject, correlationId }, { packId, actor, comment }) {
      return {
        tenant,
        id: toId(ids.uuid(), 'NotificationEvent'),
        producer: 'pack',
        eventId: `${packId}/ack/${subject}`,
        kind: ACKNOWLEDGED,
        at: clock.now(),
        actor: actor ?? subject,
        severity: 'info',
        status: 'acknowledged',
        attributes: { packId },
        payload: { subject, ...(actor !== undefined && { actor }), ...(comment !== undefined && { comment }) },
        correlationId,
      } satisfies events.NewEvent;
    },
    async run({ tenant }, { packId }, tx, event) {
      // One acknowledgement a person and approval of the pack: sent again, it is the same event.
      const asked = await events.findOfPack(tx, tenant, packId, ACKNOWLEDGED);
      const eventId = asked === undefined ? event.eventId : `${event.eventId}/${asked}`;
      await events.insertAll(tx, [{ ...event, eventId }]);
      return { eventId, accepted: true };
    },
    committed: () => accepted.notify(),
  });
