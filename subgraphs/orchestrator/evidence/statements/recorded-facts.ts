import type { Landing } from '@landfall/attestation/bundle/expected-statement';
import type { ReadFacts, Stored } from '@landfall/attestation/statements/recorded-statements';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { listComponents } from '../../catalogue/releases/release.ts';
import * as deployments from '../../running/deployments/deployment.ts';
import * as deploymentTargets from '../../running/deployments/deployment-target.ts';

const landingOf = async (query: Query, tenant: TenantId, stored: Stored): Promise<Landing | undefined> => {
  if (stored.kind !== 'deployment' || stored.deploymentId === null) return undefined;
  const deployment = await deployments.find(query, tenant, stored.deploymentId);
  if (!deployment) return undefined;
  const targets = await deploymentTargets.listByDeployments(query, tenant, [deployment.id]);
  return {
    deploymentId: deployment.id,
    releaseId: deployment.releaseId,
    environment: { id: deployment.environmentId },
    targets: targets.flatMap(({ targetId, landing }) =>
      (landing?.components ?? []).map(({ name, gatedDigest, observedDigest }) => ({
        targetId,
        component: name,
        gatedDigest,
        observedDigest: observedDigest ?? '',
      })),
    ),
  };
};

/** Reads what the database records about the subject of a statement, to compare with it (proofs 6.6). */
export const readRecordedFacts: ReadFacts = async (query, tenant, stored) => {
  const gated = await listComponents(query, tenant, [stored.releaseId]);
  return {
    subjectDigests: gated.flatMap(({ digest }) => digest ?? []),
    landing: await landingOf(query, tenant, stored),
  };
};
