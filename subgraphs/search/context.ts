import type { Caller } from '@landfall/kernel/caller';

/** What a resolver of this module has: one request's. */
export interface Context {
  readonly caller: Caller;
}
