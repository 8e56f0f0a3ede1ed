import type { Caller } from '@landfall/kernel/core/caller';

/** Context of one request for data sources. */
export type GraphContext = {
  readonly caller: Caller;
  /** Resolver context of each module, created once a request, so that loaders serve the whole plan. */
  readonly contexts: Map<string, object>;
};

export const graphContext = (caller: Caller): GraphContext => ({ caller, contexts: new Map() });
