import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { requireProductScope } from '../protocol/scopes.ts';
import * as store from './views.store.ts';

/** Upper bound of a person's views, which keeps the list unpaged (decision 10). */
const MAX_VIEWS = 200;

/** Path in this console, without anything that a browser reads as another host (WHATWG URL 4.4). */
const path = patterned('^/(?!/)[^\\\\\\u0000-\\u0020\\u007f]*$', 'must be a path of this console, such as /releases', {
  maxLength: 2_000,
});

const saveInput = Type.Object({ name: freeText(100), path, shared: Type.Optional(Type.Boolean()) });

const viewEvent = eventsOf('SavedView');

export const createViews = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  list: operation({
    name: 'view.list',
    kind: 'read',
    scope: [],
    input: Type.Object({}),
    run: (caller, _input, query) => store.list(query, caller.tenant, caller.subject),
  }),

  save: operation({
    name: 'view.save',
    kind: 'write',
    scope: [],
    input: saveInput,
    raises: ['RES_CONFLICT'],
    example: { name: 'Failed today', path: '/deployments?status=FAILED' },
    async run(caller, { name, path: address, shared = false }, tx) {
      if (shared) requireProductScope(caller);
      const requested = { id: toId(ids.uuid(), 'SavedView'), owner: caller.subject, name, path: address, shared };
      const limit = MAX_VIEWS;
      if ((await store.countOthers(tx, caller.tenant, requested)) >= limit)
        throw new Fault('RES_CONFLICT', `There are ${limit} saved views already. Remove one first.`, { limit });
      const view = await store.save(tx, caller.tenant, requested);
      await viewEvent(tx, caller, 'view.save', view, { name, shared });
      return view;
    },
  }),

  /** Removes the caller's own view, or, for administrators, a shared one. */
  remove: operation({
    name: 'view.remove',
    kind: 'write',
    scope: [],
    input: Type.Object({ id: idOf('SavedView') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('SavedView') },
    async run(caller, { id }, tx) {
      const view = await store.find(tx, caller.tenant, id);
      const isTheirs = view?.owner === caller.subject;
      const mayRemove = isTheirs || (view?.shared === true && caller.scopes.has('authority:admin'));
      if (!view || !mayRemove || (await store.remove(tx, caller.tenant, id)) === 0)
        throw new Fault('RES_NOT_FOUND', `There is no saved view ${id} that you may remove.`);
      await viewEvent(tx, caller, 'view.remove', { id, version: view.version + 1 }, { name: view.name });
      return id;
    },
  }),
});
