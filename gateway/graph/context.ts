import type { Caller } from '@landfall/kernel/core/caller';

/** Context of one request, which data sources read. */
export type GraphContext = {
  readonly caller: Caller;
  /** Each module's resolver context, made once a request, so that its loaders span the whole plan. */
  readonly contexts: Map<string, object>;
};

export const graphContext = (caller: Caller): GraphContext => ({ caller, contexts: new Map() });
