import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { isTenantId } from '@landfall/kernel/core/ids';
import type { ModuleDescriptor } from '@landfall/kernel/module';
import type { Route } from '@landfall/kernel/routes/route';
import { MODULES } from '@landfall/rest-compat/modules';
import { type Identify, noteCaller } from '../http/listener.ts';
import type { GatewaySettings } from '../settings/settings.ts';

type OpenSettings = Pick<GatewaySettings, 'authorityEnabled' | 'anonymousTenant'>;

type Installed = readonly Pick<ModuleDescriptor, 'openPolicies'>[];

const scopesOf = (installed: Installed): readonly string[] =>
  installed.flatMap(({ openPolicies: scopes = [] }) => scopes);

/** Lets every caller meet the open policies of the modules while the authority is disabled (spec 5.6, rulings 6). */
export const withOpenPolicies = (
  identify: Identify,
  { authorityEnabled }: OpenSettings,
  installed: Installed = MODULES,
): Identify => {
  if (authorityEnabled) return identify;
  const open = scopesOf(installed);
  return async (request) => {
    const caller = await identify(request);
    return noteCaller(request, { ...caller, scopes: new Set([...caller.scopes, ...open]) });
  };
};

const ANONYMOUS = 'anonymous';

/** Caller of a request without credentials. @throws Error for a setting that names no possible tenant */
const anonymousOf = ({ anonymousTenant }: OpenSettings, open: readonly string[]): Omit<Caller, 'correlationId'> => {
  if (!isTenantId(anonymousTenant))
    throw new Error(`Authority:AnonymousTenant is ${JSON.stringify(anonymousTenant)}, which no tenant can be named.`);
  return {
    tenant: anonymousTenant,
    subject: ANONYMOUS,
    clientId: ANONYMOUS,
    scopes: new Set(open),
    kind: 'client',
    assertedTenants: [],
  };
};

/**
 * Returns the function that opens routes of an open policy to requests without credentials while the authority is
 * disabled. A token that is presented must be valid all the same: its holder expects to act for its tenant.
 */
export const openPolicies = (settings: OpenSettings, installed: Installed = MODULES) => {
  if (settings.authorityEnabled) return (route: Route): Route => route;
  const open = scopesOf(installed);
  const anonymous = anonymousOf(settings, open);
  return (route: Route, scope: readonly string[] = route.operation?.scope ?? []): Route => {
    if (!scope.some((each) => open.includes(each))) return route;
    return {
      ...route,
      handle: (request) =>
        route.handle({
          ...request,
          caller: () =>
            request.caller().catch((error: unknown) => {
              if (error instanceof Fault && error.code === 'AUTH_TOKEN_MISSING')
                return { ...anonymous, correlationId: request.requestId };
              throw error;
            }),
        }),
    };
  };
};
