import type { Resolvers } from '../../generated.ts';

const share = (part: number, total: number): number | null => (total === 0 ? null : part / total);

export const deliveryResolvers = {
  Product: {
    delivery: ({ id }, { days }, { caller, orchestrator }) => orchestrator.delivery.measure(caller, { id, days }),
  },
  DeliveryMetrics: {
    // Without the policy of the step: clients cache an environment by its id, for every product.
    lastSteps: ({ lastSteps }, _, { loaders }) => Promise.all(lastSteps.map((id) => loaders.environment.get(id))),
    deploymentsPerDay: ({ deployments, days }) => deployments / days,
    changeFailureShare: ({ failedChanges, changes }) => share(failedChanges, changes),
  },
} satisfies Resolvers;
