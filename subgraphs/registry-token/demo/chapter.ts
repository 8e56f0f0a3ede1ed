import { join } from 'node:path';
import type { DemoChapter } from '@landfall/kernel/demo/chapter';
import { openProofKey } from '../operator/proof-key.ts';
import { fetchAccessToken, fetchRegistryToken, Refusal } from '../operator/token-client.ts';
import { demoPlans } from './plans.ts';

/** Repositories that the registry client requests: the first is covered by its plan, the second by none. */
const REQUESTS = ['shop/tool:pull,push', 'vault/keys:pull'] as const;

/** Requests registry tokens as a build would: one is issued, one is refused. */
export const registryTokenChapter: DemoChapter = {
  order: 20,
  settings: demoPlans,
  open: async ({ baseUrl, authUrl, directory }) => ({
    async create({ client }) {
      const holder = await openProofKey(join(directory, 'dpop.pem'));
      const accessToken = await fetchAccessToken(authUrl, client('registry-client'), holder);
      for (const repository of REQUESTS)
        try {
          const challenge = { realm: `${baseUrl}/token`, service: 'registry.example' };
          await fetchRegistryToken(challenge, [repository], { accessToken, holder });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      return {};
    },
  }),
};
