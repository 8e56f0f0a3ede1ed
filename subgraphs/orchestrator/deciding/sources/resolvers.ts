import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { stateOf } from './source.ts';
import { pollRefusal } from './sources.ts';

export const sourceResolvers = {
  Query: {
    releaseSource: (_, args, { caller, orchestrator }) => orchestrator.sources.get(caller, args),
  },
  Mutation: {
    createReleaseSource: (_, { input }, { caller, orchestrator }) => orchestrator.sources.create(caller, input),
    updateReleaseSource: (_, { input }, { caller, orchestrator }) => orchestrator.sources.update(caller, input),
    removeReleaseSource: (_, { input }, { caller, orchestrator }) => orchestrator.sources.remove(caller, input),
    setReleaseSourceWebhook: (_, { input }, { caller, orchestrator }) => orchestrator.sources.setWebhook(caller, input),
    pollReleaseSource: (_, { input }, { caller, orchestrator }) => orchestrator.sources.poll(caller, input),
  },
  Product: {
    sources: ({ id }, _, { loaders }) => loaders.sourcesOfProduct.load(id),
    candidate: async ({ id }, _, { loaders }) => (await loaders.newestCandidateOfProduct.load(id))[0] ?? null,
    refusedCandidates: ({ id }, _, { loaders }) => loaders.refusedCandidatesOfProduct.load(id),
  },
  ReleaseSource: {
    __resolveReference: ({ id }, { loaders }) => loaders.releaseSource.load(id),
    product: ({ productId }, _, { loaders }) => loaders.product.get(productId),
    selection: ({ selection }) => ({
      kind: selection.kind,
      range: selection.kind === 'semver' ? selection.range : null,
      includePrereleases: selection.kind === 'semver' ? selection.includePrereleases : null,
      pattern: selection.kind === 'build' ? selection.pattern : null,
      tag: selection.kind === 'tag' ? selection.tag : null,
    }),
    state: (source) => stateOf(source),
    selected: ({ selectedTag, selectedDigest, selectedAt }) =>
      selectedTag !== null && selectedDigest !== null && selectedAt
        ? { tag: selectedTag, digest: selectedDigest, at: selectedAt }
        : null,
    hasWebhook: ({ webhookSecret }) => webhookSecret !== null,
    viewerCanUpdate: (_, __, { caller, orchestrator }) =>
      permission(caller, orchestrator.sources.update.spec, () => undefined),
    viewerCanRemove: (_, __, { caller, orchestrator }) =>
      permission(caller, orchestrator.sources.remove.spec, () => undefined),
    viewerCanPoll: (source, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.sources.poll.spec, () => pollRefusal(source)),
  },
  ReleaseCandidate: {
    release: ({ releaseId }, _, { loaders }) => releaseId && loaders.release.get(releaseId),
  },
  RefusedCandidate: {
    release: ({ releaseId }, _, { loaders }) => releaseId && loaders.release.get(releaseId),
  },
} satisfies Resolvers;
