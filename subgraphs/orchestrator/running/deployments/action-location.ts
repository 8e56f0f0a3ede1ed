import type { FailureSubject } from './anatomy.ts';
import type { Deployment } from './deployments.store.ts';

/** Ids that fill the action paths of a deployment's failures. */
export const failureSubjectOf = (job: Pick<Deployment, 'id' | 'releaseId' | 'environmentId'>): FailureSubject => ({
  releaseId: job.releaseId,
  environmentId: job.environmentId,
  deploymentId: job.id,
});
