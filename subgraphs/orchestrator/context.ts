import type { Caller } from '@landfall/kernel/core/caller';
import type { Loaders } from './loaders.ts';
import type { Services } from './services.ts';

export interface Context {
  readonly caller: Caller;
  readonly orchestrator: Services;
  readonly loaders: Loaders;
}
