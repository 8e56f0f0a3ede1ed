import type { Authority } from '@landfall/authority';
import type { Route } from '@landfall/kernel/http/route';
import type { Orchestrator } from '@landfall/orchestrator';
import { attestationRoutes } from './routes/attestations.ts';
import { authorityRoutes } from './routes/authority.ts';
import { orchestratorRoutes } from './routes/orchestrator.ts';
import { tlogRoutes } from './routes/tlog.ts';

/** The modules whose routes are wanted. */
export interface RouteModules {
  readonly authority?: Authority | undefined;
  readonly orchestrator?: Orchestrator | undefined;
}

/** The REST routes of these modules, in the order of the specification. */
export const routesOf = ({ authority, orchestrator }: RouteModules): Route[] => [
  ...(authority ? authorityRoutes(authority) : []),
  ...(orchestrator
    ? [...orchestratorRoutes(orchestrator), ...attestationRoutes(orchestrator), ...tlogRoutes(orchestrator)]
    : []),
];
