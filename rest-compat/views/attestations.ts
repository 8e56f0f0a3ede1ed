import type { Orchestrator } from '@landfall/orchestrator';

type Answer = Awaited<ReturnType<Orchestrator['verifications']['verify']>>;

/** The answer of `POST /api/v1/rekor/verify` (proofs 6.6); the order of the fields is the order of the bytes. */
export const verificationView = ({ found, verifiedAt }: Answer) => ({
  verified: found.verified,
  checks: {
    signature: found.checks.signature,
    body: found.checks.body,
    inclusion: found.checks.inclusion,
    checkpoint: found.checks.checkpoint,
    consistency: found.checks.consistency,
    timestamp: found.checks.timestamp,
    subject: found.checks.subject,
    predicate: found.checks.predicate,
  },
  log: found.log
    ? {
        origin: found.log.origin,
        index: found.log.index,
        treeSize: found.log.treeSize,
        rootHash: found.log.rootHash,
      }
    : null,
  signedAt: found.signedAt?.toISOString() ?? null,
  verifiedAt: verifiedAt.toISOString(),
  errorMessage: found.errorMessage ?? null,
});
