import Type from 'typebox';
import { count, instant, nullable, uuid } from './parts.ts';

/** States on the wire, in the spelling of the specification (3, 7.3). */
const status = Type.Enum(['pending', 'failed', 'Sent', 'Delivered', 'dead-lettered', 'cancelled']);

export const delivery = Type.Object({
  deliveryId: uuid,
  eventId: uuid,
  ruleId: nullable(uuid),
  channelId: uuid,
  templateKey: Type.String(),
  reason: Type.String(),
  status,
  attemptCount: count,
  dueAt: nullable(instant),
  externalId: nullable(Type.String()),
  correlationId: Type.String(),
  forcedFrom: nullable(uuid),
  createdAt: instant,
  completedAt: nullable(instant),
});

/** `count` is the number of items on this page (spec 2.9, rulings 35). */
export const deliveryPage = Type.Object({
  items: Type.Array(delivery),
  count,
  continuationToken: nullable(Type.String()),
});

export const deliveryStats = Type.Object({
  total: count,
  counts: Type.Record(Type.String(), count),
  successRate: nullable(Type.Number()),
  openDeadLetters: count,
});

export const retryRequest = Type.Object({
  reason: Type.Optional(Type.String()),
  forceChannel: Type.Optional(Type.String({ description: 'Id of the channel to send it on instead.' })),
});

export const deadLetter = Type.Object({
  entryId: uuid,
  deliveryId: uuid,
  channelId: uuid,
  cause: Type.String(),
  error: Type.String(),
  attempts: count,
  firstFailedAt: instant,
  createdAt: instant,
  status: Type.Enum(['open', 'retried', 'discarded']),
  note: nullable(Type.String()),
  settledBy: nullable(Type.String()),
  settledAt: nullable(instant),
});

export const deadLetterPage = Type.Object({
  items: Type.Array(deadLetter),
  count,
  continuationToken: nullable(Type.String()),
});

export const deadLetterStats = Type.Object({
  open: count,
  oldestOpenAt: nullable(instant),
  causes: Type.Array(Type.Object({ cause: Type.String(), status: Type.String(), count, oldestAt: instant })),
});

export const deadLetterRetryRequest = Type.Object({
  channelId: Type.Optional(uuid),
  cause: Type.Optional(Type.String()),
  since: Type.Optional(instant),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  isDryRun: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String()),
});

export const deadLetterRetry = Type.Object({ retried: count, remaining: count });

export const rotationRequest = Type.Object({
  activeAt: Type.Optional(instant),
  overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
});

export const rotation = Type.Object({
  channelId: uuid,
  secret: Type.String(),
  activeAt: instant,
  oldSecretExpiresAt: instant,
});

export const maskedSecrets = Type.Object({
  channelId: uuid,
  secrets: Type.Array(
    Type.Object({
      secret: Type.String({ description: 'Masked: its last four characters.' }),
      fingerprint: Type.String(),
      activeAt: instant,
      expiresAt: nullable(instant),
      confirmedAt: nullable(instant),
    }),
  ),
});

export const eventEnvelope = Type.Object({
  eventId: Type.String(),
  kind: Type.String(),
  tenant: Type.String(),
  ts: instant,
  payload: Type.Record(Type.String(), Type.Unknown()),
  actor: Type.Optional(Type.String()),
  attributes: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const acceptedEvent = Type.Object({ eventId: Type.String(), accepted: Type.Boolean() });

export const acknowledgement = Type.Object({
  actor: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
});

const labels = Type.Record(Type.String(), Type.String());

/** Body of Alertmanager's webhook, version 4; members that are not read are left out here. */
export const alertmanagerWebhook = Type.Object({
  version: Type.Enum(['4']),
  groupKey: Type.String(),
  receiver: Type.Optional(Type.String()),
  externalURL: Type.Optional(Type.String()),
  truncatedAlerts: Type.Optional(Type.Integer()),
  alerts: Type.Array(
    Type.Object({
      status: Type.Enum(['firing', 'resolved']),
      labels,
      annotations: Type.Optional(labels),
      startsAt: instant,
      endsAt: Type.Optional(instant),
      generatorURL: Type.Optional(Type.String()),
      fingerprint: Type.Optional(Type.String()),
    }),
  ),
});

/** Numbers of the alerts that are new, and of those that were accepted before. */
export const acceptedAlerts = Type.Object({ accepted: count, known: count });
