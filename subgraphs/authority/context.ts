import type { Caller } from '@landfall/kernel/core/caller';
import type { Loaders } from './loaders.ts';
import type { Services } from './services.ts';

/** What a resolver of this module has: one request's. */
export interface Context extends Services {
  readonly caller: Caller;
  readonly loaders: Loaders;
  /** Where people manage their own ways in. */
  readonly accountUrl: string;
}
