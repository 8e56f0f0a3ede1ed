import type { Caller } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import { byId, byOwner, single } from '../../shared/loader-factory.ts';
import * as carried from './carried.store.ts';
import * as deviations from './deviations.store.ts';
import type { Estate } from './estate.ts';

export const createEstateLoaders = (
  scope: { readonly database: Database; readonly caller: Caller },
  { deviations: listed, matrix: { spec: matrix } }: Pick<Estate, 'deviations' | 'matrix'>,
) => ({
  deviation: byId(scope, 'Deviation', listed.spec, deviations.listByIds),
  releasesOnTargets: byOwner(scope, 'Environment', matrix, carried.listReleases, (row) => row.environmentId),
  stateOfEnvironment: byOwner(scope, 'Environment', matrix, carried.listStates, (row) => row.environmentId),
  unsettled: single(scope, matrix, carried.listUnsettled),
});
