import type { Deps } from '@landfall/kernel/module';
import { routesOf } from '@landfall/rest-compat';
import { createSearch, type Search } from '@landfall/search';
import { readKnowledge } from '../knowledge/knowledge.ts';
import { publicUrls } from '../settings/kernel-settings.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Hosted, Surroundings } from './modules.ts';
import { upstreamHere, upstreamThere } from './search-upstream.ts';

/** The search module with its ways to what it reads. */
export const searchOf = (
  deps: Deps,
  settings: GatewaySettings,
  { telemetry, role = '', hosted }: Surroundings & { readonly hosted: () => Hosted },
): Search => {
  const isAlone = role.startsWith('module:');
  return createSearch(deps, settings, {
    place: { dataDir: settings.dataDir, baseUrl: publicUrls(settings).baseUrl },
    ports: {
      upstream: isAlone ? upstreamThere(deps, settings, role) : upstreamHere(() => routesOf(hosted())),
      knowledge: readKnowledge,
      ...(telemetry && { meter: telemetry.meter('search') }),
    },
  });
};
