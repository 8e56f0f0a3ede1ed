import * as attestations from '@landfall/attestation/statements/attestations.store';
import * as external from '@landfall/attestation/statements/external-entries.store';
import type { Caller } from '@landfall/kernel/core/caller';
import { toId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { OperationSpec } from '@landfall/kernel/operation/operation';
import DataLoader from 'dataloader';
import { byId, byOwner } from '../../shared/loader-factory.ts';
import { type Attestations, MAX_RECIPES } from './attestations.ts';

/** Loaders of statements for one request, one query for each kind of question. */
export const createAttestationLoaders = (
  scope: { readonly database: Database; readonly caller: Caller },
  { get, recipes }: Attestations,
  deployments: OperationSpec,
) => ({
  attestation: byId(scope, 'Attestation', get.spec, attestations.listAttested),
  wholeAttestation: byId(scope, 'Attestation', get.spec, attestations.listWholeByIds),
  recipe: new DataLoader<string, string>((refs) => recipes(scope.caller, { refs }), {
    cache: false,
    maxBatchSize: MAX_RECIPES,
  }),
  attestationsOfDeployment: byOwner(scope, 'Deployment', deployments, attestations.listByDeployments, ({ subjectId }) =>
    toId(subjectId, 'Deployment'),
  ),
  externalEntriesOfAttestation: byOwner(
    scope,
    'Attestation',
    get.spec,
    external.listByAttestations,
    ({ attestationId }) => attestationId,
  ),
});
