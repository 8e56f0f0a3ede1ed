import type { Caller } from '@landfall/kernel/core/caller';
import { isId } from '@landfall/kernel/core/ids';
import DataLoader from 'dataloader';
import type { ClientView } from './clients/clients.ts';
import type { GroupView } from './groups/groups.ts';
import type { Services } from './services.ts';
import type { Person, SignInMethods } from './users/users.ts';

const MAX_BATCH = 1_000;

/** Loads each distinct id once a tick. Nothing is cached between ticks, since a mutation may run in between. */
const batched = <Value>(resolve: (ids: readonly string[]) => Promise<readonly Value[]>) => {
  const loader = new DataLoader<string, Value | undefined>(
    async (keys) => {
      const ids = [...new Set(keys)];
      const values = await resolve(ids);
      const byId = new Map(ids.map((id, index) => [id, values[index]]));
      return keys.map((id) => byId.get(id));
    },
    { cache: false, maxBatchSize: MAX_BATCH },
  );
  return { load: (id: string): Promise<Value | undefined> => loader.load(id) };
};

/** Loader of UUIDs; names of workers resolve to undefined. */
const byUuid = <Value>(name: string, resolve: (ids: readonly string[]) => Promise<readonly Value[]>) => {
  const { load } = batched(resolve);
  return { load: async (id: string): Promise<Value | undefined> => (isId(id, name) ? load(id) : undefined) };
};

export const createLoaders = (
  caller: Caller,
  { users, clients, groups }: Pick<Services, 'users' | 'clients' | 'groups'>,
) => {
  const people = batched<Person>((ids) => users.resolve(caller, { ids }));
  return {
    /** Person or client of an id; never undefined. */
    user: {
      async load(id: string): Promise<Person> {
        const person = await people.load(id);
        if (!person) throw new TypeError(`${id} was resolved to nobody`);
        return person;
      },
    },
    client: byUuid<ClientView | undefined>('Client', (ids) => clients.resolve(caller, { ids })),
    /** Undefined, instead of a refusal, for callers who may not read clients. */
    knownClient: byUuid<ClientView | undefined>('Client', async (ids) =>
      caller.scopes.has('authority:admin') ? clients.resolve(caller, { ids }) : [],
    ),
    group: byUuid<GroupView | undefined>('Group', (ids) => groups.resolve(caller, { ids })),
    groupsOf: byUuid<readonly GroupView[] | null>('User', (ids) => groups.ofPeople(caller, { ids })),
    signInMethods: byUuid<SignInMethods | null>('User', (ids) => users.signInMethods(caller, { ids })),
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
