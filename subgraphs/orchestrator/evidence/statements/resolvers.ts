import { attestedOf, attestingOf, bundleOf, statementOf } from '@landfall/attestation/statements/statement-view';
import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { packagePathOf } from './packages.ts';

export const attestationResolvers = {
  Query: {
    attestation: (_, args, { caller, orchestrator }) => orchestrator.attestations.get(caller, args),
  },
  Attestation: {
    // Rows of this module have the reference as their id.
    __resolveReference: (reference, { loaders }) => loaders.attestation.load(String(Reflect.get(reference, 'ref'))),
    ref: ({ id }) => id,
    subjects: async ({ id }, _, { loaders }) => statementOf(await loaders.wholeAttestation.get(id)).subjects,
    release: ({ releaseId }, _, { loaders }) => loaders.release.get(releaseId),
    deployment: ({ deploymentId }, _, { loaders }) => deploymentId && loaders.deployment.get(deploymentId),
    payloadDigest: async ({ id }, _, { loaders }) => statementOf(await loaders.wholeAttestation.get(id)).digest,
    statement: async ({ id }, _, { loaders }) => statementOf(await loaders.wholeAttestation.get(id)).text,
    bundle: async ({ id }, _, { loaders }) => bundleOf(await loaders.wholeAttestation.get(id)),
    recipe: ({ id }, _, { loaders }) => loaders.recipe.load(id),
    packagePath: ({ id }) => packagePathOf(id),
    timestamps: ({ timestampedAt }) => (timestampedAt ? [timestampedAt] : []),
    log: ({ logOrigin, logIndex, treeSize, rootHash }) => ({
      origin: logOrigin,
      index: String(logIndex),
      treeSize: String(treeSize),
      rootHash: `sha256:${rootHash.toString('hex')}`,
    }),
    externalLog: async ({ id }, _, { loaders }) => {
      const [entry] = await loaders.externalEntriesOfAttestation.load(id);
      return entry && entry.logIndex !== null ? { url: entry.url, index: String(entry.logIndex) } : null;
    },
    viewerCanProve: (_, __, { caller, orchestrator }) =>
      permission(caller, orchestrator.verifications.verify.spec, () => undefined),
  },
  Deployment: {
    attestation: async ({ id }, _, { loaders }) => attestedOf(await loaders.attestationsOfDeployment.load(id)),
    attesting: async ({ id }, _, { loaders }) => {
      const [attestation] = await loaders.attestationsOfDeployment.load(id);
      return attestation && attestingOf(attestation);
    },
  },
} satisfies Resolvers;
