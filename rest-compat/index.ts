import type { Authority } from '@landfall/authority';
import type { Route } from '@landfall/kernel/routes/route';
import type { Orchestrator } from '@landfall/orchestrator';
import type { RegistryTokens } from '@landfall/registry-token';
import type { Search } from '@landfall/search';
import { attestationRoutes } from './routes/attestations.ts';
import { authorityRoutes } from './routes/authority.ts';
import { effectivePolicyRoutes } from './routes/effective-policies.ts';
import { orchestratorRoutes } from './routes/orchestrator.ts';
import { registryTokenRoutes } from './routes/registry-token.ts';
import { scimRoutes } from './routes/scim.ts';
import { searchRoutes } from './routes/search.ts';
import { searchIndexRoutes } from './routes/search-index.ts';
import { searchLegacyRoutes } from './routes/search-legacy.ts';
import { searchQualityRoutes } from './routes/search-quality.ts';
import { searchSynthesisRoutes } from './routes/search-synthesis.ts';
import { tlogRoutes } from './routes/tlog.ts';

/** The modules whose routes are wanted. */
export interface RouteModules {
  readonly authority?: Authority | undefined;
  readonly registryTokens?: RegistryTokens | undefined;
  readonly search?: Search | undefined;
  readonly orchestrator?: Orchestrator | undefined;
}

/** The REST routes of these modules, in the order of the specification. */
export const routesOf = ({ authority, registryTokens, search, orchestrator }: RouteModules): Route[] => [
  ...(authority ? [...authorityRoutes(authority), ...scimRoutes(authority)] : []),
  ...(registryTokens ? registryTokenRoutes(registryTokens) : []),
  ...(search
    ? [
        ...searchRoutes(search),
        ...searchSynthesisRoutes(search),
        ...searchIndexRoutes(search),
        ...searchQualityRoutes(search),
        ...searchLegacyRoutes(search),
      ]
    : []),
  ...(orchestrator
    ? [
        ...orchestratorRoutes(orchestrator),
        ...effectivePolicyRoutes(orchestrator),
        ...attestationRoutes(orchestrator),
        ...tlogRoutes(orchestrator),
      ]
    : []),
];
