import { destinationOf, whereTableExists } from '@landfall/kernel/egress/configured';
import { list } from './integrations.store.ts';

/** Destinations of a tenant's integrations. */
export const integrationDestinations = whereTableExists('orchestrator.integrations', async (query, tenant) =>
  (await list(query, tenant)).flatMap(({ name, baseUrl }) =>
    destinationOf('orchestrator', `integration ${name}`, baseUrl),
  ),
);
