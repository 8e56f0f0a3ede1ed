import type { Caller } from '@landfall/kernel/core/caller';
import type { Loaders } from './loaders.ts';
import type { Services } from './services.ts';

/** Context of a request's resolvers. */
export interface Context extends Services {
  readonly caller: Caller;
  readonly loaders: Loaders;
  /** Pages on which people manage their passwords, factors and sign-ins. */
  readonly accountUrl: string;
}
