import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { SCOPES } from '../shared/operations.ts';
import * as store from './history.store.ts';
import type { Recorder } from './recorder.ts';

export const MAX_HISTORY = 50;

/** Checks the form of an id and lower-cases it. @throws Fault advisoryai.validation.id_invalid */
export const expectId = (id: string, name: string): string => {
  if (!isId(id, name)) throw new Fault('advisoryai.validation.id_invalid', `The id of ${name} is a UUID.`);
  return id.toLowerCase();
};

export const createHistory = ({ operation }: Pick<Deps, 'operation'>, recorder: Pick<Recorder, 'flushAndDrop'>) => ({
  list: operation({
    name: 'searchHistory.list',
    kind: 'read',
    scope: SCOPES.view,
    input: Type.Object({}),
    run: (caller, _input, query) => store.list(query, caller.tenant, caller.subject, MAX_HISTORY),
  }),

  clear: operation({
    name: 'searchHistory.clear',
    cost: 0,
    kind: 'write',
    scope: SCOPES.operate,
    input: Type.Object({ historyId: Type.Optional(Type.String()) }),
    raises: ['advisoryai.validation.id_invalid', 'advisoryai.not_found'],
    // Queries that were sent before are written before they are removed, and not after.
    prepare: (caller) => recorder.flushAndDrop(caller),
    async run(caller, { historyId: requestedId }, tx) {
      const historyId = requestedId === undefined ? undefined : expectId(requestedId, 'a history entry');
      const removed = await store.remove(tx, caller.tenant, caller.subject, historyId);
      if (historyId !== undefined && removed === 0)
        throw new Fault('advisoryai.not_found', `There is no history entry ${historyId}.`);
      // The text of a query is private to its person and stays out of the audit trail.
      const body = { entity: 'SearchHistory', id: historyId ?? caller.subject, version: 1, data: { removed } };
      await event(tx, caller, 'searchHistory.clear', body);
      return { removed };
    },
  }),
});
