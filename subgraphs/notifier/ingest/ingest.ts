import { Fault, invalid } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { instant, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { SEVERITIES, type Severity, STATUSES, type Status } from '../events/event.ts';
import * as events from '../events/events.store.ts';
import { NOTIFY_OPERATE } from '../shared/scopes.ts';
import type { Signal } from '../shared/signal.ts';

/** Difference to the server's clock that an event may have (spec 8). */
const TOLERANCE_MS = 5 * 60_000;
const MOST_ATTRIBUTES = 50;

/** Producers, and the beginnings of the kinds of events that each may send (spec 4.8, 6.1). */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  concelier: ['concelier.'],
  attestor: ['attestor.', 'attestation.'],
  risk: ['risk.'],
  pack: ['pack.'],
};

const kind = patterned(
  '^[a-z][a-z0-9_-]*(?:\\.[a-z0-9][a-z0-9_-]*)+$',
  'must be lower-case words with dots between them, such as risk.score.changed',
  { maxLength: 200 },
);

const envelope = {
  producer: Type.String({ minLength: 1, maxLength: 64 }),
  eventId: Type.String({ minLength: 1, maxLength: 200 }),
  kind,
  tenant: Type.String({ minLength: 1, maxLength: 63 }),
  /** Time of the event, RFC 3339. */
  ts: instant,
  payload: Type.Record(Type.String(), Type.Unknown()),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  attributes: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.String({ maxLength: 1_000 }), {
      maxProperties: MOST_ATTRIBUTES,
    }),
  ),
};

const oneIn = <T extends string>(words: readonly T[], value: string | undefined, otherwise: T): T =>
  words.find((word) => word === value) ?? otherwise;

/** Severity and status, which producers state among the attributes. */
export const stateOf = (attributes: Readonly<Record<string, string>>): { severity: Severity; status: Status } => ({
  severity: oneIn(SEVERITIES, attributes.severity, 'info'),
  status: oneIn(STATUSES, attributes.status, 'firing'),
});

/** Creates the acceptance of events (spec 4.8): the answer follows the commit. */
export const createIngest = ({
  operation,
  clock,
  ids,
  accepted,
}: Pick<Deps, 'operation' | 'clock' | 'ids'> & {
  /** Notified once an event is stored. */ readonly accepted: Signal;
}) =>
  operation({
    name: 'notificationEvent.ingest',
    kind: 'write',
    scope: NOTIFY_OPERATE,
    isBeat: true,
    cost: 0,
    input: Type.Object(envelope),
    raises: ['RES_NOT_FOUND', 'PERM_TENANT_MISMATCH'],
    example: {
      producer: 'risk',
      eventId: '1',
      kind: 'risk.score.changed',
      tenant: 'acme',
      ts: '2026-01-01T00:00:00Z',
      payload: {},
    },
    async prepare({ tenant }, input) {
      const prefixes = Object.hasOwn(PREFIXES, input.producer) ? PREFIXES[input.producer] : undefined;
      if (!prefixes)
        throw new Fault(
          'RES_NOT_FOUND',
          `There is no producer ${input.producer}: use ${Object.keys(PREFIXES).join(', ')}.`,
          { id: input.producer },
        );
      if (input.tenant !== tenant)
        throw new Fault('PERM_TENANT_MISMATCH', 'The event names another tenant than the token.', { field: 'tenant' });
      if (!prefixes.some((prefix) => input.kind.startsWith(prefix)))
        throw invalid([
          { field: 'kind', message: `must begin with ${prefixes.join(' or ')}`, code: 'VAL_INVALID_VALUE' },
        ]);
      const at = new Date(input.ts);
      if (Math.abs(at.getTime() - clock.now().getTime()) > TOLERANCE_MS)
        throw invalid([
          { field: 'ts', message: 'must lie within 5 minutes of the server’s clock', code: 'VAL_INVALID_VALUE' },
        ]);
      return at;
    },
    async run({ tenant, correlationId }, { eventId, producer, payload, ...input }, tx, at) {
      const { attributes = {}, actor = null } = input;
      await events.insertAll(tx, [
        {
          tenant,
          id: toId(ids.uuid(), 'NotificationEvent'),
          producer,
          eventId,
          kind: input.kind,
          at,
          actor,
          ...stateOf(attributes),
          attributes,
          payload,
          correlationId,
        },
      ]);
      return { eventId, accepted: true };
    },
    committed: () => accepted.notify(),
  });
