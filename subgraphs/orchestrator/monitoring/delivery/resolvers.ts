import type { Resolvers } from '../../generated.ts';

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export const deliveryResolvers = {
  Product: {
    delivery: ({ id }, { days }, { caller, orchestrator }) => orchestrator.delivery.measure(caller, { id, days }),
  },
  DeliveryMetrics: {
    deploymentsPerDay: ({ deployments, days }) => deployments / days,
    changeFailureShare: ({ failedChanges, changes }) => share(failedChanges, changes),
  },
} satisfies Resolvers;
