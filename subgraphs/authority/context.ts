import type { Caller } from '@landfall/kernel/caller';
import type { Clients } from './clients/clients.ts';
import type { Loaders } from './loaders.ts';
import type { Users } from './users/users.ts';

/** What a resolver of this module has: one request's. */
export interface Context {
  readonly caller: Caller;
  readonly users: Users;
  readonly clients: Clients;
  readonly loaders: Loaders;
}
