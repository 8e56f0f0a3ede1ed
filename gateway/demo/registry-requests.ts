import { join } from 'node:path';
import { openProofKey } from '../cli/registry/proof-key.ts';
import { fetchAccessToken, fetchRegistryToken, Refusal } from '../cli/registry/token-client.ts';
import type { ClientCredentials } from './credentials.ts';

/** Repositories that the registry client requests: the first is covered by its plan, the second by none. */
const REQUESTS = ['shop/tool:pull,push', 'vault/keys:pull'] as const;

/** Asks for registry tokens as a build would, so that there is one to look at that was issued and one that was refused. */
export const askForRegistryTokens = async (
  { baseUrl, authUrl }: { readonly baseUrl: string; readonly authUrl: string },
  client: ClientCredentials,
  directory: string,
): Promise<void> => {
  const holder = await openProofKey(join(directory, 'dpop.pem'));
  const accessToken = await fetchAccessToken(authUrl, client, holder);
  for (const repository of REQUESTS)
    try {
      const challenge = { realm: `${baseUrl}/token`, service: 'registry.example' };
      await fetchRegistryToken(challenge, [repository], { accessToken, holder });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
};
