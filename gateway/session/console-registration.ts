import type { Authority } from '@landfall/authority';
import { toId } from '@landfall/kernel/core/ids';
import type { ConsoleClient } from './console-client.ts';

/** Tenant of platform clients, which belong to no customer. */
const PLATFORM = 'landfall';

/** Registers the console at the authority with the present settings. Idempotent. */
export const ensureConsole = async (authority: Authority, client: ConsoleClient): Promise<void> => {
  await authority.bootstrap.ensureTenant({ tenant: PLATFORM, name: 'Landfall' });
  await authority.bootstrap.ensureClient({
    tenant: PLATFORM,
    id: toId(client.id, 'Client'),
    name: 'Landfall console',
    secret: client.secret,
    grants: ['authorization_code', 'refresh_token'],
    scopes: [...authority.metadata.scopes_supported],
    redirectUris: [client.redirectUri],
    postLogoutRedirectUris: [client.postLogoutRedirectUri],
    servesEveryTenant: true,
  });
};
