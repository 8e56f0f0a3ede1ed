import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import type { ClientId } from '../clients/clients.ts';
import { requireProductScope } from '../protocol/scopes.ts';
import { revokeFamily } from '../revocation/revocation.ts';
import * as store from './families.store.ts';
import { familyEvent } from './family-lifecycle.ts';
import { createFirstPartyCheck, isAdmin, ownerOf, requireFirstPartyOrAdmin } from './first-party.ts';

export const { prune: pruneFamilies, pruneAccessTokens } = store;

const listInput = Type.Object({
  ...pageFields,
  userId: Type.Optional(idOf('User')),
  clientId: Type.Optional(idOf('Client')),
  live: Type.Optional(Type.Boolean()),
});

type Names = ReadonlyMap<ClientId, string>;

/** Token family as the graph shows it. */
const viewOf = ({ sender, authTime, ...row }: store.Family, names: Names) => ({
  ...row,
  clientName: names.get(row.clientId) ?? row.clientId,
  sender: sender ?? 'none',
  signedInAt: authTime,
});

export type FamilyView = ReturnType<typeof viewOf>;

/** Token families, for their people and administrators. */
export const createFamilies = ({ operation, database }: Pick<Deps, 'operation' | 'database'>) => {
  /** Names of the families' clients, which may belong to another tenant. */
  const namesOf = async (clientIds: readonly ClientId[]): Promise<Names> => {
    const ids = [...new Set(clientIds)];
    const clients = ids.length === 0 ? [] : await database.system.read((query) => store.listClientNames(query, ids));
    return new Map(clients.map(({ id, name }) => [id, name]));
  };

  const firstParty = createFirstPartyCheck({ database });

  return {
    list: operation({
      name: 'tokenFamily.list',
      cost: 0,
      kind: 'read',
      scope: [],
      input: listInput,
      raises: ['PERM_SCOPE_DENIED'],
      isDetached: true,
      async run(caller, { first, after, userId, clientId, live }) {
        requireProductScope(caller);
        const owner = ownerOf(caller, userId);
        if (owner === 'nobody') return { items: [], hasNextPage: false };
        const { items, hasNextPage } = await readPage({ first, after }, (bounds) =>
          database.read(caller.tenant, (query) =>
            store.list(query, caller.tenant, { userId: owner, clientId, live, ...bounds }),
          ),
        );
        const names = await namesOf(items.map(({ clientId: id }) => id));
        return { items: items.map((row) => viewOf(row, names)), hasNextPage };
      },
    }),

    revoke: operation({
      name: 'tokenFamily.revoke',
      cost: 0,
      kind: 'write',
      scope: [],
      input: Type.Object({ id: idOf('TokenFamily') }),
      raises: ['PERM_ACTION_DENIED', 'RES_NOT_FOUND'],
      example: { id: exampleId('TokenFamily') },
      async prepare(caller, { id }) {
        await requireFirstPartyOrAdmin(firstParty, caller);
        const family = await database.read(caller.tenant, (query) => store.find(query, caller.tenant, id));
        return namesOf(family ? [family.clientId] : []);
      },
      async run(caller, { id }, tx, names) {
        const { tenant } = caller;
        const family = await store.findLocked(tx, tenant, id);
        if (!family || !(isAdmin(caller) || family.userId === caller.subject))
          throw new Fault('RES_NOT_FOUND', `There is no token family ${id}.`);
        const data = { clientId: family.clientId, userId: family.userId };
        // The event comes first: after it the caller's own token may be denied.
        await familyEvent(tx, caller, 'tokenFamily.revoke', { id }, data);
        await revokeFamily(tx, tenant, id);
        return viewOf(await store.get(tx, tenant, id), names);
      },
    }),
  };
};
