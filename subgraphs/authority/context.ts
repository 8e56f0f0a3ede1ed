import type { Caller } from '@landfall/kernel/core/caller';
import type { Loaders } from './loaders.ts';
import type { Services } from './services.ts';

export interface Context extends Services {
  readonly caller: Caller;
  readonly loaders: Loaders;
  readonly accountUrl: string;
}
