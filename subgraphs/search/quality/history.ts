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
export const expectId = (id: string, what: string): string => {
  if (!isId(id, what)) throw new Fault('advisoryai.validation.id_invalid', `The id of ${what} is a UUID.`);
  return id.toLowerCase();
};

export const createHistory = ({ operation }: Pick<Deps, 'operation'>, recorder: Pick<Recorder, 'flushAndDrop'>) => ({
  list: operation({
    name: 'searchHistory.list',
    kind: 'read',
    scope: SCOPES.view,
    input: Type.Object({}),
    run: (who, _input, query) => store.list(query, who.tenant, who.subject, MAX_HISTORY),
  }),

  clear: operation({
    name: 'searchHistory.clear',
    cost: 0,
    kind: 'write',
    scope: SCOPES.operate,
    input: Type.Object({ historyId: Type.Optional(Type.String()) }),
    raises: ['advisoryai.validation.id_invalid', 'advisoryai.not_found'],
    // Queries that were asked before are written before they are removed, and not after.
    prepare: (who) => recorder.flushAndDrop(who),
    async run(who, { historyId: given }, tx) {
      const historyId = given === undefined ? undefined : expectId(given, 'a history entry');
      const removed = await store.remove(tx, who.tenant, who.subject, historyId);
      if (historyId !== undefined && removed === 0)
        throw new Fault('advisoryai.not_found', `There is no history entry ${historyId}.`);
      // The text of a query is private to its person and stays out of the audit trail.
      const body = { entity: 'SearchHistory', id: historyId ?? who.subject, version: 1, data: { removed } };
      await event(tx, who, 'searchHistory.clear', body);
      return { removed };
    },
  }),
});
