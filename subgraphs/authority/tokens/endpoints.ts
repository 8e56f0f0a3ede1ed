import { createDpop } from '@landfall/kernel/identity/dpop';
import type { Deps } from '@landfall/kernel/module';
import { createDeviceAuthorization } from '../authorization/device-authorization.ts';
import { createPushedRequests } from '../authorization/pushed-requests.ts';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import type { Authenticate } from '../clients/authenticate.ts';
import { grantTypeOf } from '../clients/grant-types.ts';
import { createSenderProofs } from '../clients/sender-constraint.ts';
import type { Factors } from '../factors/factors.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { createBackOff } from '../users/back-off.ts';
import { createFailedSignInRecorder } from '../users/failed-sign-ins.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createClientGrant } from './client-grant.ts';
import { createCodeGrant } from './code-grant.ts';
import { createDeviceGrant } from './device-grant.ts';
import { createExchangeGrant } from './exchange-grant.ts';
import { createOpenFamily } from './family-lifecycle.ts';
import type { IdTokenIssuer } from './id-tokens.ts';
import { createIntrospect } from './introspect.ts';
import { createIssuer } from './issuer.ts';
import { createPasswordGrant } from './password-grant.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { createRevoke } from './revoke.ts';
import { createTokenEndpoint, type GrantParts } from './token-endpoint.ts';
import { createTokenStatusReader } from './token-status.ts';
import { createUserInfo } from './userinfo.ts';

interface EndpointParts {
  readonly keys: Keys;
  readonly idTokens: IdTokenIssuer;
  readonly authenticate: Authenticate;
  readonly factors: Pick<Factors, 'summaryOf'>;
  readonly resourceIndicators: ResourceIndicators;
}

/** Protocol endpoints for clients and resource servers. */
export const createEndpoints = (deps: Deps, parts: EndpointParts, settings: AuthoritySettings) => {
  const { database, ids, clock } = deps;
  const { keys, idTokens, authenticate, factors, resourceIndicators } = parts;
  const accessTokens = createAccessTokens({ clock, keys }, settings);
  const dpop = createDpop(deps, { requiresNonce: settings.requiresDpopNonce });
  const senderProofs = createSenderProofs(dpop, settings.issuer);
  const readTokenStatus = createTokenStatusReader({ database });
  const issuer = createIssuer({ ids, accessTokens, idTokens, resourceIndicators }, settings);
  const openFamily = createOpenFamily(issuer, settings);
  const grantParts: GrantParts = {
    ...{ database, ids, clock, issuer, openFamily, resourceIndicators, accessTokens, readTokenStatus, factors },
    backOff: createBackOff(database),
    recordFailedSignIn: createFailedSignInRecorder(deps),
  };
  const grants = new Map([
    [grantTypeOf('authorization_code'), createCodeGrant(grantParts)],
    [grantTypeOf('client_credentials'), createClientGrant(grantParts)],
    [grantTypeOf('device_code'), createDeviceGrant(grantParts)],
    [grantTypeOf('password'), createPasswordGrant(grantParts)],
    [grantTypeOf('refresh_token'), createRefreshGrant(grantParts, settings)],
    [grantTypeOf('token_exchange'), createExchangeGrant(grantParts, settings)],
  ]);
  return {
    token: createTokenEndpoint({ authenticate, senderProofs, grants }),
    introspect: createIntrospect({ authenticate, accessTokens, readTokenStatus }, settings),
    revoke: createRevoke({ database, authenticate, accessTokens }),
    deviceAuthorization: createDeviceAuthorization({ database, ids, authenticate, resourceIndicators }, settings),
    pushedRequest: createPushedRequests({ database, authenticate, senderProofs, resourceIndicators }),
    userInfo: createUserInfo({ database, accessTokens, readTokenStatus, dpop }, settings),
    /** Nonce for the `DPoP-Nonce` header (RFC 9449 8.2). */
    dpopNonce: dpop.nonce,
  };
};
