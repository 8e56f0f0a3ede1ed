import type { Caller } from '@landfall/kernel/core/caller';

/** What the gateway knows of one request; data sources read it. */
export type GraphContext = {
  readonly caller: Caller;
  /** Each module's resolver context, made once a request, so that its loaders span the whole plan. */
  readonly contexts: Map<string, object>;
};

export const graphContext = (caller: Caller): GraphContext => ({ caller, contexts: new Map() });
