import type { Place } from './anatomy.ts';
import type { Deployment } from './deployments.store.ts';

/** Ids that fill the action paths of a deployment's failures. */
export const placeOf = (job: Pick<Deployment, 'id' | 'releaseId' | 'environmentId'>): Place => ({
  releaseId: job.releaseId,
  environmentId: job.environmentId,
  deploymentId: job.id,
});
