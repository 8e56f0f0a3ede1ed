import { destinationOf, whereTableExists } from '@landfall/kernel/egress/configured';
import { list } from './providers.store.ts';

/** Destinations of a tenant's identity providers. */
export const authorityDestinations = whereTableExists('authority.identity_providers', async (query, tenant) =>
  (await list(query, tenant)).flatMap(({ name, issuer }) =>
    destinationOf('authority', `identity provider ${name}`, issuer),
  ),
);
