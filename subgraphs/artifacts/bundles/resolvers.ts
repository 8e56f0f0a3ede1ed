import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { aboutOf } from '../records/about.ts';
import { graphWordOf } from '../shared/artifact-type.ts';
import { entityOf } from '../shared/evidence-subject.ts';

/** Lost artifacts that a bundle lists. */
const MAX_LISTED = 100;

export const bundleResolvers = {
  Query: {
    evidenceBundles: async (_, args, { caller, bundles }) => connectionOf(await bundles.list(caller, args)),
    evidenceBundle: (_, args, { caller, bundles }) => bundles.get(caller, args),
  },
  Mutation: {
    createEvidenceBundle: (_, { input }, { caller, bundles }) => bundles.create(caller, input),
  },
  EvidenceBundle: {
    __resolveReference: (reference, { loaders }) => loaders.bundle(Reflect.get(reference, 'id')),
    subject: ({ subjectKind, subjectId }) =>
      subjectKind === null || subjectId === null ? null : { kind: subjectKind, id: subjectId },
    artifacts: ({ id }, page, { caller, bundles }) => bundles.artifacts(caller, { id, ...page }),
    isEmpty: ({ artifactCount }) => artifactCount === 0,
    missing: async ({ id }, _, { loaders }) => (await loaders.lossesOf(id))?.losses.slice(0, MAX_LISTED) ?? [],
    missingCount: async ({ id }, _, { loaders }) => (await loaders.lossesOf(id))?.losses.length ?? 0,
    exports: ({ id }, _, { loaders }) => loaders.exportsOf(id),
    createdBy: ({ createdBy }) => ({ __typename: 'User' as const, id: createdBy }),
  },
  EvidenceSubject: {
    release: ({ kind, id }) => entityOf('Release', kind, id),
    deployment: ({ kind, id }) => entityOf('Deployment', kind, id),
  },
  Deployment: { evidenceBundle: ({ id }, _, { loaders }) => loaders.bundleOfDeployment(id) },
  BundleArtifact: {
    type: ({ artifactType }) => graphWordOf(artifactType),
    about: aboutOf,
  },
  MissingArtifact: { type: ({ artifactType }) => graphWordOf(artifactType) },
} satisfies Resolvers;
