import { toId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { instant, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { conditionKey } from '../events/condition-key.ts';
import * as conditions from '../events/conditions.store.ts';
import type { Severity } from '../events/event.ts';
import * as events from '../events/events.store.ts';
import { NOTIFY_OPERATE } from '../shared/scopes.ts';
import type { Signal } from '../shared/signal.ts';

/** Alerts of one request, at most. Alertmanager's `max_alerts` limits them at its side. */
const MOST_ALERTS = 1_000;
const MOST_LABELS = 100;

const labels = Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 16_000 }), {
  maxProperties: MOST_LABELS,
});

const alert = Type.Object({
  status: Type.Enum(['firing', 'resolved']),
  labels,
  annotations: Type.Optional(labels),
  startsAt: instant,
  /** End; for an alert that fires the zero time, or the time at which it ends unless it is repeated. */
  endsAt: Type.Optional(instant),
  generatorURL: Type.Optional(Type.String({ maxLength: 16_000 })),
  /** Fingerprint of the labels, by which the end of an alert belongs to its beginning. */
  fingerprint: Type.Optional(Type.String({ maxLength: 200 })),
});
type Alert = Static<typeof alert>;

/** Body of Alertmanager's webhook, version 4. Members that are not read are passed over. */
const webhook = {
  version: oneOf('4'),
  groupKey: Type.String({ maxLength: 16_000 }),
  receiver: Type.Optional(Type.String({ maxLength: 1_000 })),
  externalURL: Type.Optional(Type.String({ maxLength: 16_000 })),
  truncatedAlerts: Type.Optional(Type.Integer({ minimum: 0 })),
  alerts: Type.Array(alert, { maxItems: MOST_ALERTS }),
};

/** Words of the label `severity` in use, in our three. */
const SEVERITIES: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  page: 'critical',
  emergency: 'critical',
  error: 'warning',
  high: 'warning',
  warning: 'warning',
};

const severityOf = ({ severity = '' }: Alert['labels']): Severity => {
  const word = severity.toLowerCase();
  return (Object.hasOwn(SEVERITIES, word) ? SEVERITIES[word] : undefined) ?? 'info';
};

const sorted = (record: Readonly<Record<string, string>>) =>
  Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Id of an alert's beginning or end: a repetition of either is the same event. */
const eventIdOf = ({ fingerprint, labels, status, startsAt, endsAt = '' }: Alert): string =>
  sha256Hex(JSON.stringify([fingerprint ?? sorted(labels), startsAt, status, status === 'resolved' ? endsAt : '']));

/** Time of an alert's beginning or end, at most now. */
const timeOf = ({ status, startsAt, endsAt }: Alert, now: Date): Date => {
  const at = new Date(status === 'resolved' ? (endsAt ?? startsAt) : startsAt);
  return at > now ? now : at;
};

interface Request {
  readonly groupKey: string;
  readonly receiver?: string;
  readonly externalURL?: string;
}

/** Document of an event about an alert. */
const payloadOf = (
  { annotations = {}, generatorURL, startsAt, endsAt, status, fingerprint }: Alert,
  request: Request,
) => ({
  summary: annotations.summary ?? annotations.description ?? annotations.message ?? '',
  annotations,
  startsAt,
  ...(status === 'resolved' && endsAt !== undefined && { endsAt }),
  ...(generatorURL !== undefined && { generatorURL }),
  ...(fingerprint !== undefined && { fingerprint }),
  ...request,
});

/**
 * Creates the acceptance of Alertmanager's notifications (webhook version 4): each alert is an event `alertmanager.alert`
 * with its labels and its status as attributes and the group as `payload.groupKey`; one that ended is `resolved`.
 */
export const createAlertmanagerIngest = ({
  operation,
  clock,
  ids,
  accepted,
}: Pick<Deps, 'operation' | 'clock' | 'ids'> & {
  /** Notified once an event is stored. */ readonly accepted: Signal;
}) =>
  operation({
    name: 'notificationEvent.ingestAlerts',
    kind: 'write',
    scope: NOTIFY_OPERATE,
    isBeat: true,
    cost: 0,
    input: Type.Object(webhook),
    example: { version: '4', groupKey: '{}:{}', alerts: [] },
    async prepare({ tenant, correlationId }, { groupKey, receiver, externalURL, alerts }) {
      const request: Request = {
        groupKey,
        ...(receiver !== undefined && { receiver }),
        ...(externalURL !== undefined && { externalURL }),
      };
      const now = clock.now();
      return alerts.map((each) => ({
        tenant,
        id: toId(ids.uuid(), 'NotificationEvent'),
        producer: 'alertmanager',
        eventId: eventIdOf(each),
        kind: 'alertmanager.alert',
        at: timeOf(each, now),
        actor: null,
        severity: severityOf(each.labels),
        status: each.status,
        attributes: { ...each.labels, status: each.status },
        payload: payloadOf(each, request),
        correlationId,
      }));
    },
    async run({ tenant }, _input, tx, rows) {
      const stored = await events.insertAll(tx, rows);
      const firing = rows.filter(({ status }) => status === 'firing').map(conditionKey);
      // A repetition makes no event, and says that its alert still fires.
      if (stored < rows.length && firing.length > 0) await conditions.touchAll(tx, tenant, firing);
      return { accepted: stored, known: rows.length - stored };
    },
    committed: () => accepted.notify(),
  });
