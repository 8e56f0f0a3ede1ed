import type { Attestation } from '@landfall/attestation/statements/attestations.store';
import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import * as deployments from '../../running/deployments/deployment.ts';
import { publishEvent } from '../../shared/publish-event.ts';

/** Publishes that the statement of a deployment's landing is in the log. Other kinds of statements publish no event. */
export const publishAttestedDeployment = async (tx: Tx, caller: Who, { id, kind, deploymentId }: Attestation) => {
  if (kind !== 'deployment' || !deploymentId) return;
  const touched = await deployments.touch(tx, caller.tenant, deploymentId);
  await publishEvent(tx, caller, 'deployment.attest', 'Deployment', touched, { attestation: id });
};
