import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, instant, oneOf } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { FAILURE_CAUSES } from '../channels/send-outcome.ts';
import { NOTIFY_OPERATE, NOTIFY_READ } from '../shared/scopes.ts';
import * as store from './dead-letters.store.ts';
import * as deliveries from './deliveries.store.ts';

const record = eventsOf('DeadLetter');

/** Dead letters that one request retries, at most. */
const MOST_RETRIES = 500;

const filterFields = {
  channelId: Type.Optional(idOf('NotificationChannel')),
  cause: Type.Optional(oneOf(...FAILURE_CAUSES)),
  /** Created at this time or later. */
  since: Type.Optional(instant),
};

interface Filter extends Omit<store.DeadLetterFilter, 'since'> {
  readonly since?: string | undefined;
}

const filterOf = ({ since, ...filter }: Filter): store.DeadLetterFilter => ({
  ...filter,
  since: since === undefined ? undefined : new Date(since),
});

/** Creates the operations on dead letters (spec 4.8). */
export const createDeadLetters = ({ operation }: Pick<Deps, 'operation'>) => ({
  list: operation({
    name: 'deadLetter.list',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({
      status: Type.Optional(oneOf(...store.DEAD_LETTER_STATUSES)),
      ...filterFields,
      ...pageFields,
    }),
    run: ({ tenant }, { first, after, ...filter }, query) =>
      readPage({ first, after }, (bounds) => store.list(query, tenant, filterOf(filter), bounds)),
  }),

  get: operation({
    name: 'deadLetter.get',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ id: idOf('DeadLetter') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('DeadLetter') },
    run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
  }),

  stats: operation({
    name: 'deadLetter.stats',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({}),
    async run({ tenant }, _input, query) {
      const causes = await store.countByCause(query, tenant);
      const open = causes.filter(({ status }) => status === 'open');
      const times = open.map(({ oldestAt }) => oldestAt.getTime());
      return {
        open: open.reduce((sum, { count }) => sum + count, 0),
        causes,
        oldestOpenAt: times.length === 0 ? null : new Date(Math.min(...times)),
      };
    },
  }),

  /** Sends open dead letters again, the oldest first; `isDryRun` counts them only. */
  retry: operation({
    name: 'deadLetter.retry',
    kind: 'write',
    scope: NOTIFY_OPERATE,
    isBeat: true,
    input: Type.Object({
      ...filterFields,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_RETRIES })),
      isDryRun: Type.Optional(Type.Boolean()),
      note: Type.Optional(freeText(500)),
    }),
    example: { cause: 'timeout', isDryRun: true },
    async run(who, { limit = MOST_RETRIES, isDryRun = false, note, ...filter }, tx) {
      const { tenant } = who;
      const wanted = filterOf(filter);
      if (isDryRun) return { retried: 0, remaining: await store.countOpen(tx, tenant, wanted) };
      const letters = await store.lockOpen(tx, tenant, wanted, limit);
      for (const { id } of letters)
        await store.update(tx, tenant, id, {
          status: 'retried',
          settledBy: who.subject,
          settledAt: sql`kernel.now()`,
          ...(note !== undefined && { note }),
        });
      const ids = letters.map(({ deliveryId }) => deliveryId);
      await deliveries.requeueAll(tx, tenant, ids);
      const [first] = letters;
      if (first) await record(tx, who, 'deadLetter.retry', { id: first.id }, { count: ids.length, deliveryIds: ids });
      return { retried: ids.length, remaining: await store.countOpen(tx, tenant, wanted) };
    },
  }),

  discard: operation({
    name: 'deadLetter.discard',
    kind: 'write',
    scope: NOTIFY_OPERATE,
    input: Type.Object({ id: idOf('DeadLetter'), note: freeText(500) }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { id: exampleId('DeadLetter'), note: 'The receiver has it by another way.' },
    async run(who, { id, note }, tx) {
      const known = await store.getLocked(tx, who.tenant, id);
      if (known.status !== 'open')
        throw new Fault('RES_CONFLICT', `The dead letter is ${known.status} already.`, { state: known.status });
      const letter = await store.update(tx, who.tenant, id, {
        status: 'discarded',
        note,
        settledBy: who.subject,
        settledAt: sql`kernel.now()`,
      });
      await record(tx, who, 'deadLetter.discard', letter, { deliveryId: letter.deliveryId, note });
      return letter;
    },
  }),
});

export type DeadLetters = ReturnType<typeof createDeadLetters>;
