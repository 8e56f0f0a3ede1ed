import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { userOf } from '../../shared/user-reference.ts';
import { estateConnection } from './connection.ts';
import { acceptRefusal, revokeRefusal } from './estate-rule.ts';

export const estateResolvers = {
  Query: {
    estate: () => ({}),
    estateMap: (_, __, { caller, orchestrator }) => orchestrator.estate.map(caller, {}),
    environmentMatrix: (_, __, { caller, orchestrator }) => orchestrator.estate.matrix(caller, {}),
  },
  Mutation: {
    acceptDeviation: (_, { input }, { caller, orchestrator }) => orchestrator.estate.accept(caller, input),
    revokeDeviation: (_, { input }, { caller, orchestrator }) => orchestrator.estate.revoke(caller, input),
  },
  Environment: {
    releases: ({ id }, _, { loaders }) => loaders.releasesOnTargets.load(id),
    estateState: async ({ id }, _, { loaders }) => (await loaders.stateOfEnvironment.load(id))[0]?.state,
  },
  ProductInEnvironment: {
    state: async (parent, _, { loaders }) => (await loaders.stateOfProduct.load(parent))[0]?.state,
  },
  ReleaseOnTargets: {
    release: ({ releaseId }, _, { loaders }) => loaders.release.get(releaseId),
  },
  Today: {
    unsettled: async (_, __, { loaders }) =>
      (await loaders.unsettled.load()).map(({ id }) => loaders.environment.get(id)),
  },
  Estate: {
    status: (_, __, { caller, orchestrator }) => orchestrator.estate.status(caller, {}),
    drift: async (_, args, { caller, orchestrator }) =>
      estateConnection(await orchestrator.estate.drift(caller, args), { filter: args.filter }),
    digest: (_, args, { caller, orchestrator }) => orchestrator.estate.digest(caller, args),
    deviations: async (_, args, { caller, orchestrator }) =>
      connectionOf(await orchestrator.estate.deviations(caller, args)),
  },
  ArtifactDigest: {
    __resolveReference: ({ digest }) => ({ digest }),
    locations: ({ digest }, _, { loaders }) => loaders.locationsOfArtifact.load({ digest }),
    releases: ({ digest }, _, { loaders }) => loaders.releasesOfArtifact.load({ digest }),
  },
  DigestLocations: {
    artifact: ({ digest }) => ({ digest }),
  },
  ReleaseComponent: {
    artifact: ({ digest }) => (digest === null ? null : { digest }),
  },
  EstateComponentConnection: {
    totalCount: ({ asked }, _, { caller, orchestrator }) => orchestrator.estate.count(caller, asked),
  },
  EstateComponent: {
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
    target: ({ targetId }, _, { loaders }) => loaders.target.get(targetId),
    viewerCanAccept: (component, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.estate.accept.spec, () => acceptRefusal(component)),
  },
  Deviation: {
    __resolveReference: ({ id }, { loaders }) => loaders.deviation.load(id),
    target: ({ targetId }, _, { loaders }) => loaders.target.get(targetId),
    owner: ({ owner }) => userOf(owner),
    viewerCanRevoke: (deviation, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.estate.revoke.spec, () => revokeRefusal(deviation)),
  },
  EstateCell: {
    product: ({ productId }, _, { loaders }) => productId && loaders.product.get(productId),
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
  },
  MatrixRow: {
    product: ({ productId }, _, { loaders }) => productId && loaders.product.get(productId),
  },
  MatrixCell: {
    release: ({ releaseId }, _, { loaders }) => releaseId && loaders.release.get(releaseId),
    deployment: ({ deploymentId }, _, { loaders }) => deploymentId && loaders.deployment.load(deploymentId),
  },
} satisfies Resolvers;
