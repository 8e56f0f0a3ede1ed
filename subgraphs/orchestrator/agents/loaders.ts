import type { Caller } from '@landfall/kernel/caller';
import type { Database } from '@landfall/kernel/db/database';
import { byId, byOwner } from '../loader.ts';
import * as agents from './agents.store.ts';
import type { Agents } from './agents.ts';
import * as observations from './observations.store.ts';

export const createAgentLoaders = (
  scope: { readonly database: Database; readonly caller: Caller },
  { list }: Pick<Agents, 'list'>,
) => ({
  agent: byId(scope, 'Agent', list.spec, agents.listByIds),
  observationsOfTarget: byOwner(scope, 'Target', list.spec, observations.listByTargets, (row) => row.targetId),
});
