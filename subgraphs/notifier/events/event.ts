/** Severities in ascending order. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Whether a condition began, was taken on by somebody, or ended. An event that has no duration is `firing`. */
export const STATUSES = ['firing', 'acknowledged', 'resolved'] as const;
export type Status = (typeof STATUSES)[number];

/** Event that people or programs may be notified of. */
export interface NotificationEvent {
  /** The producer's id: with the producer the event's identity within a tenant. */
  readonly eventId: string;
  /** Name of an ingest producer (`concelier`, `attestor`, `risk`), `platform` for Landfall's own events, or `alertmanager`. */
  readonly producer: string;
  /** Dotted name that begins with the kind of thing: `deployment.failed`. */
  readonly kind: string;
  readonly at: Date;
  /** Person or program that caused it; null where nobody is named. */
  readonly actor: string | null;
  readonly severity: Severity;
  readonly status: Status;
  /** Short facts for matching and grouping: `environment`, `product`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The producer's own document. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly correlationId: string;
}

/** Attributes that say how a condition is, not which one it is. */
const STATES: ReadonlySet<string> = new Set(['severity', 'status'] satisfies (keyof NotificationEvent)[]);

/** Attributes that name the condition of an event: the same for its firing and its end. */
export const namingAttributes = ({
  attributes,
}: Pick<NotificationEvent, 'attributes'>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !STATES.has(name)));

/**
 * Attributes that tell conditions apart. Of an alert all labels do: two alerts of one name often differ in their severity
 * only, and one may end while the other fires.
 */
export const conditionAttributes = (
  event: Pick<NotificationEvent, 'producer' | 'attributes'>,
): Readonly<Record<string, string>> => {
  if (event.producer !== 'alertmanager') return namingAttributes(event);
  const { status: _, ...labels } = event.attributes;
  return labels;
};

/** Whether an event has no duration: it is stated without a status, and neither goes on nor ends. */
export const isMomentary = ({ attributes }: Pick<NotificationEvent, 'attributes'>): boolean =>
  !Object.hasOwn(attributes, 'status');
