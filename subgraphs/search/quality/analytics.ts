import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { SCOPES } from '../shared/operations.ts';
import { insertReported } from './analytics.store.ts';
import { analyticsEvent } from './analytics-events.ts';
import type { Recorder } from './recorder.ts';

/** Events of one request (spec 8). */
const MAX_EVENTS = 100;

export const createAnalytics = (
  { operation, ids }: Pick<Deps, 'operation' | 'ids'>,
  recorder: Pick<Recorder, 'flush'>,
) => ({
  record: operation({
    name: 'searchEvents.record',
    cost: 0,
    kind: 'write',
    // Clicks of people are not audited.
    isBeat: true,
    scope: SCOPES.operate,
    input: Type.Object({ events: Type.Array(analyticsEvent) }),
    raises: ['advisoryai.validation.batch_too_large'],
    example: { events: [{ kind: 'click', query: 'log4j', entityKey: 'vulnerability:CVE-2021-44228', position: 1 }] },
    // The platform's own rows about these queries are written first, so that they are found.
    prepare: () => recorder.flush(),
    async run(caller, { events }, tx) {
      if (events.length > MAX_EVENTS)
        throw new Fault('advisoryai.validation.batch_too_large', `At most ${MAX_EVENTS} events at once.`);
      const { subject } = caller;
      const rows = events.map((rows) => ({ ...rows, eventId: ids.uuid(), subject, ageMs: 0 }));
      if (rows.length > 0) await insertReported(tx, caller.tenant, rows);
      return { accepted: rows.length };
    },
  }),
});
