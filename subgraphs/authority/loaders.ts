import type { Caller } from '@landfall/kernel/core/caller';
import { isId } from '@landfall/kernel/core/ids';
import DataLoader from 'dataloader';
import type { Clients, ClientView } from './clients/clients.ts';
import type { Groups, GroupView } from './groups/groups.ts';
import type { SignInMethods } from './users/sign-in-methods.store.ts';
import type { Person, Users } from './users/users.ts';

/** What one operation takes at once. */
const MAX_BATCH = 1_000;

/**
 * Asks once a tick for each id that was asked for, however often: references arrive one by one and without
 * deduplication. Nothing is remembered between ticks, since a mutation may run in between.
 */
const batched = <Value>(resolve: (ids: readonly string[]) => Promise<readonly Value[]>) => {
  const loader = new DataLoader<string, Value | undefined>(
    async (asked) => {
      const ids = [...new Set(asked)];
      const values = await resolve(ids);
      const byId = new Map(ids.map((id, at) => [id, values[at]]));
      return asked.map((id) => byId.get(id));
    },
    { cache: false, maxBatchSize: MAX_BATCH },
  );
  return { load: (id: string): Promise<Value | undefined> => loader.load(id) };
};

/** A worker, or whatever else signs an event by a name, is no row of ours. */
const byUuid = <Value>(name: string, resolve: (ids: readonly string[]) => Promise<readonly Value[]>) => {
  const { load } = batched(resolve);
  return { load: async (id: string): Promise<Value | undefined> => (isId(id, name) ? load(id) : undefined) };
};

interface Services {
  readonly users: Users;
  readonly clients: Clients;
  readonly groups: Groups;
}

/** One request long. */
export const createLoaders = (caller: Caller, { users, clients, groups }: Services) => {
  const people = batched<Person>((ids) => users.resolve(caller, { ids }));
  return {
    /** Whoever an id stands for; there is always somebody. */
    user: {
      async load(id: string): Promise<Person> {
        const person = await people.load(id);
        if (!person) throw new TypeError(`${id} was resolved to nobody`);
        return person;
      },
    },
    client: byUuid<ClientView | undefined>('Client', (ids) => clients.resolve(caller, { ids })),
    /** Nothing, rather than a refusal, for who may not look at clients: what refers to one has its name. */
    knownClient: byUuid<ClientView | undefined>('Client', async (ids) =>
      caller.scopes.has('authority:admin') ? clients.resolve(caller, { ids }) : [],
    ),
    group: byUuid<GroupView | undefined>('Group', (ids) => groups.resolve(caller, { ids })),
    groupsOf: byUuid<readonly GroupView[] | null>('User', (ids) => groups.ofPeople(caller, { ids })),
    waysIn: byUuid<SignInMethods | null>('User', (ids) => users.waysIn(caller, { ids })),
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
