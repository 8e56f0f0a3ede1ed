import { checkNames } from '@landfall/attestation/bundle/verification';
import type { Resolvers } from '../../generated.ts';

export const verificationResolvers = {
  Mutation: {
    proveDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.verifications.prove(caller, input),
    verifyAttestation: (_, { input }, { caller, orchestrator }) => orchestrator.verifications.verify(caller, input),
  },
  AttestationVerification: {
    verified: ({ found }) => found.verified,
    checks: ({ found }) =>
      checkNames.map((name) => ({ name, result: found.checks[name], detail: found.details[name] ?? null })),
    log: ({ found: { log } }) =>
      log && {
        origin: log.origin,
        index: String(log.index),
        treeSize: String(log.treeSize),
        rootHash: log.rootHash,
      },
    signedAt: ({ found }) => found.signedAt,
    errorMessage: ({ found }) => found.errorMessage,
    attestation: ({ attestation }, _, { loaders }) => attestation && loaders.attestation.get(attestation.id),
  },
} satisfies Resolvers;
