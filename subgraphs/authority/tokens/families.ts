import type { Who } from '@landfall/kernel/caller';
import { event } from '@landfall/kernel/events/write';
import { Fault } from '@landfall/kernel/fault';
import { exampleId, idOf, isId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import { decodeCursor, pageFields, pageOf } from '@landfall/kernel/page';
import Type from 'typebox';
import type { UserId } from '../users/users.store.ts';
import { lock, revoke } from './families.store.ts';
import { createFirstParty, refuseForeign } from './first-party.ts';
import * as store from './listed-families.store.ts';

/** A family in the graph's words. */
export interface FamilyView extends Omit<store.ListedFamily, 'sender' | 'authTime'> {
  readonly clientName: string;
  readonly sender: 'none' | 'dpop' | 'mtls';
  readonly signedInAt: Date;
}

const listInput = Type.Object({
  ...pageFields,
  userId: Type.Optional(idOf('User')),
  clientId: Type.Optional(idOf('Client')),
  live: Type.Optional(Type.Boolean()),
});

const revokeInput = Type.Object({ id: idOf('TokenFamily') });

const isAdmin = ({ scopes }: Who): boolean => scopes.has('authority:admin');

/** Whose families a caller may see: their own, or with authority:admin those they ask for. @throws Fault PERM_SCOPE_DENIED */
const ownerOf = (who: Who, userId: UserId | undefined): UserId | 'nobody' | undefined => {
  if (isAdmin(who)) return userId;
  if (userId !== undefined && userId !== who.subject)
    throw new Fault('PERM_SCOPE_DENIED', 'Missing required scope: authority:admin', { anyOf: ['authority:admin'] });
  return who.kind === 'user' && isId(who.subject, 'User') ? who.subject : 'nobody';
};

/** What came of sign-ins at clients, for people and their administrators. */
export const createFamilies = ({ operation, database }: Pick<Deps, 'operation' | 'database'>) => {
  /** With the names of their clients, which may be another tenant's: the console serves all. */
  const viewsOf = async (rows: readonly store.ListedFamily[]): Promise<FamilyView[]> => {
    const ids = [...new Set(rows.map(({ clientId }) => clientId))];
    const clients = ids.length === 0 ? [] : await database.system.read((query) => store.listClientNames(query, ids));
    const names = new Map(clients.map(({ id, name }) => [id, name]));
    return rows.map(({ sender, authTime, ...row }) => ({
      ...row,
      clientName: names.get(row.clientId) ?? row.clientId,
      sender: sender ?? 'none',
      signedInAt: authTime,
    }));
  };

  const firstParty = createFirstParty({ database });

  return {
    list: operation({
      name: 'tokenFamily.list',
      kind: 'read',
      scope: [],
      input: listInput,
      raises: ['PERM_SCOPE_DENIED'],
      example: {},
      async run(who, { first = 50, after, userId, clientId, live }, query) {
        const owner = ownerOf(who, userId);
        if (owner === 'nobody') return { items: [], hasNextPage: false };
        const before = after === undefined ? undefined : decodeCursor(after);
        const filter = { userId: owner, clientId, live, before };
        const { items, hasNextPage } = pageOf(await store.list(query, who.tenant, filter, first + 1), first);
        return { items: await viewsOf(items), hasNextPage };
      },
    }),

    revoke: operation({
      name: 'tokenFamily.revoke',
      kind: 'write',
      scope: [],
      input: revokeInput,
      raises: ['PERM_ACTION_DENIED', 'RES_NOT_FOUND'],
      example: { id: exampleId('TokenFamily') },
      prepare: (who) => refuseForeign(firstParty, who),
      async run(who, { id }, tx) {
        const { tenant } = who;
        const family = await lock(tx, tenant, id);
        if (!family || !(isAdmin(who) || family.userId === who.subject))
          throw new Fault('RES_NOT_FOUND', `There is no token family ${id}.`);
        const data = { clientId: family.clientId, userId: family.userId };
        // The event comes first: after it the caller's own token may be denied.
        await event(tx, who, 'tokenFamily.revoke', { entity: 'TokenFamily', id, version: 1, data });
        await revoke(tx, tenant, id);
        const [view] = await viewsOf([await store.get(tx, tenant, id)]);
        if (!view) throw new TypeError('a family that is there has no view');
        return view;
      },
    }),
  };
};

export type Families = ReturnType<typeof createFamilies>;
