import type { Resolvers } from '../../generated.ts';

export const analysisResolvers: Resolvers = {
  Deployment: {
    measurements: ({ id }, _, { loaders }) => loaders.measurementsOfDeployment.load(id),
  },
  AnalysisPolicy: {
    integration: ({ integrationId }, _, { loaders }) => loaders.integration.get(integrationId),
  },
};
