import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { isTenantId } from '@landfall/kernel/core/ids';
import type { Route } from '@landfall/kernel/routes/route';
import { SCANNER_POLICIES } from '@landfall/scanner';
import { type Identify, noteCaller } from '../http/listener.ts';
import type { GatewaySettings } from '../settings/settings.ts';

type OpenSettings = Pick<GatewaySettings, 'authorityEnabled' | 'anonymousTenant'>;

/** Lets every caller meet the scanner's policies while the authority is disabled (spec 5.6, rulings 6). */
export const withScannerPolicies = (identify: Identify, { authorityEnabled }: OpenSettings): Identify => {
  if (authorityEnabled) return identify;
  return async (request) => {
    const caller = await identify(request);
    return noteCaller(request, { ...caller, scopes: new Set([...caller.scopes, ...SCANNER_POLICIES]) });
  };
};

const ANONYMOUS = 'anonymous';

/** Caller of a request without credentials. @throws Error for a setting that names no possible tenant */
const anonymousOf = ({ anonymousTenant }: OpenSettings): Omit<Caller, 'correlationId'> => {
  if (!isTenantId(anonymousTenant))
    throw new Error(`Authority:AnonymousTenant is ${JSON.stringify(anonymousTenant)}, which no tenant can be named.`);
  return {
    tenant: anonymousTenant,
    subject: ANONYMOUS,
    clientId: ANONYMOUS,
    scopes: new Set(SCANNER_POLICIES),
    kind: 'client',
    assertedTenants: [],
  };
};

/**
 * Returns the function that opens routes of a scanner policy to requests without credentials while the authority is
 * disabled. A token that is presented must be valid all the same: its holder expects to act for its tenant.
 */
export const openPolicies = (settings: OpenSettings) => {
  if (settings.authorityEnabled) return (route: Route): Route => route;
  const anonymous = anonymousOf(settings);
  return (route: Route, scope: readonly string[] = route.operation?.scope ?? []): Route => {
    if (!scope.some((each) => SCANNER_POLICIES.includes(each))) return route;
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
