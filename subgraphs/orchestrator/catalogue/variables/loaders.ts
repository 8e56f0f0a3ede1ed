import type { Caller } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import type { OperationSpec } from '@landfall/kernel/operation/operation';
import { byOwner } from '../../shared/loader-factory.ts';
import * as variableSets from './variable-sets.store.ts';

/** An environment's variables are read by whoever reads the environment. */
export const createVariableLoaders = (
  scope: { readonly database: Database; readonly caller: Caller },
  mayRead: OperationSpec,
) => ({
  newestVariableSetOfEnvironment: byOwner(
    scope,
    'Environment',
    mayRead,
    variableSets.listNewest,
    ({ environmentId }) => environmentId,
  ),
  variableSetsOfEnvironment: byOwner(
    scope,
    'Environment',
    mayRead,
    variableSets.listByEnvironments,
    ({ environmentId }) => environmentId,
  ),
});
