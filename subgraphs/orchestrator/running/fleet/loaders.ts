import type { Caller } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import * as agents from '../../catalogue/agents/agents.store.ts';
import { byId, byOwner } from '../../shared/loader-factory.ts';
import * as observations from '../observations/observations.store.ts';
import type { Agents } from './agents.ts';

export const createAgentLoaders = (
  scope: { readonly database: Database; readonly caller: Caller },
  { list }: Pick<Agents, 'list'>,
) => ({
  agent: byId(scope, 'Agent', list.spec, agents.listByIds),
  observationsOfTarget: byOwner(scope, 'Target', list.spec, observations.listByTargets, (row) => row.targetId),
});
