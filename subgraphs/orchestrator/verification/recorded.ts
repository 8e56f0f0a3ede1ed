import type { Query } from '@landfall/kernel/db/query';
import { isId, type TenantId } from '@landfall/kernel/ids';
import * as attestations from '../attestation/attestations.store.ts';
import * as components from '../catalogue/releases/components.store.ts';
import * as deploymentTargets from '../running/deployments/deployment-targets.store.ts';
import * as deployments from '../running/deployments/deployments.store.ts';
import type { Expected, Landing } from './expected.ts';
import { parseStatement, type Statement } from './statement.ts';

export type Stored = attestations.WholeAttestation;

/** A statement of the tenant's own, and what it has to say by what else is recorded of its deed. */
export interface Recorded {
  readonly stored: Stored;
  readonly expected: Expected;
}

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

/**
 * What the release, the deployment and its targets say themselves (proofs 6.6), and the statement as it was written with
 * the deed: whoever changed one of them would have to change all.
 */
export const readRecorded = async (query: Query, tenant: TenantId, stored: Stored): Promise<Recorded> => {
  const gated = await components.listOf(query, tenant, [stored.releaseId]);
  return {
    stored,
    expected: {
      subjectDigests: gated.flatMap(({ digest }) => digest ?? []),
      predicateType: stored.predicateType,
      predicate: parseStatement(stored.payload)?.predicate ?? {},
      ...(stored.kind === 'deployment' && { deploymentId: stored.subjectId }),
      landing: await landingOf(query, tenant, stored),
      isTimestamped: stored.timestampToken !== null,
    },
  };
};

/** Where an entry is: in which log, and how many are before it. */
export interface Place {
  readonly origin: string;
  readonly index: number;
}

/** The tenant's own statement whose entry and bytes these are, or else that of the deployment which a signed one names. */
export const findRecorded = async (
  query: Query,
  tenant: TenantId,
  payload: Buffer,
  { entry, statement }: { readonly entry: Place | undefined; readonly statement: Statement | undefined },
): Promise<Recorded | undefined> => {
  const atIndex = entry && (await attestations.findByLogIndex(query, tenant, entry));
  if (atIndex?.payload.equals(payload)) return readRecorded(query, tenant, atIndex);
  const named = statement?.predicate?.deploymentId;
  if (typeof named !== 'string' || !isId(named, 'Deployment')) return undefined;
  const found = await attestations.findBySubject(query, tenant, 'deployment', named);
  const stored = found && (await attestations.find(query, tenant, found.id));
  return stored && readRecorded(query, tenant, stored);
};
