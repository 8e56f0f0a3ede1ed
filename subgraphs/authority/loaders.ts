import type { Caller } from '@landfall/kernel/caller';
import DataLoader from 'dataloader';
import type { Clients, ClientView } from './clients/clients.ts';
import type { Person, Users } from './users/users.ts';

/** One request long: references arrive one by one and without deduplication. */
export const createLoaders = (caller: Caller, { users, clients }: { users: Users; clients: Clients }) => ({
  user: new DataLoader<string, Person>((ids) => users.resolve(caller, { ids }), { maxBatchSize: 1_000 }),
  client: new DataLoader<string, ClientView | undefined>((ids) => clients.resolve(caller, { ids }), {
    maxBatchSize: 1_000,
  }),
});

export type Loaders = ReturnType<typeof createLoaders>;
