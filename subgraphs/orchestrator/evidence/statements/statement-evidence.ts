import * as attestations from '@landfall/attestation/statements/attestations.store';
import { toId } from '@landfall/kernel/core/ids';
import type { EvidenceReader, EvidenceReaders } from '@landfall/kernel/module';

/** Bundle of a statement once it is signed and logged, as evidence of its release and its deployment. */
const readStatement: EvidenceReader = async (query, tenant, { entityId }) => {
  const found = await attestations.find(query, tenant, toId(entityId, 'Attestation'));
  if (!found || found.bundle === null) return undefined;
  const { id, kind, releaseId, deploymentId, bundle } = found;
  return {
    bomRef: deploymentId === null ? `landfall:release:${releaseId}` : `landfall:deployment:${deploymentId}`,
    serialNumber: `urn:uuid:${id}`,
    content: Buffer.from(bundle),
    references: [
      { kind: 'Release', id: releaseId },
      ...(deploymentId === null ? [] : [{ kind: 'Deployment' as const, id: deploymentId }]),
    ],
    // The statement of the landing is the last one before observations of what runs.
    ...(kind === 'deployment' && deploymentId !== null && { completes: { kind: 'deployment', id: deploymentId } }),
  };
};

/** Statements of the platform as evidence, by the event that announces them. */
export const statementEvidence: EvidenceReaders = new Map([['attestation.log', readStatement]]);
