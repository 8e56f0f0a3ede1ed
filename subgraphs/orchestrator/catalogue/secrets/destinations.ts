import { destinationOf, whereTableExists } from '@landfall/kernel/egress/configured';
import { list } from './providers.store.ts';

/** Destinations of a tenant's secret providers. */
export const secretProviderDestinations = whereTableExists('orchestrator.secret_providers', async (query, tenant) =>
  (await list(query, tenant)).flatMap(({ name, address }) =>
    destinationOf('orchestrator', `secret provider ${name}`, address),
  ),
);
