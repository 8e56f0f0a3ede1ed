import { createDpop } from '@landfall/kernel/identity/dpop';
import type { Deps } from '@landfall/kernel/module';
import { createDeviceAuthorization, type DeviceAuthorization } from '../authorization/device-authorization.ts';
import { createPushedRequests, type PushedRequest } from '../authorization/pushed-requests.ts';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import type { Authenticate } from '../clients/authenticate.ts';
import { grantTypeOf } from '../clients/grant-types.ts';
import { createSenderProofs } from '../clients/sender-constraint.ts';
import type { Factors } from '../factors/factors.ts';
import type { Keys } from '../keys/keys.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { createBackOff } from '../users/back-off.ts';
import { createFailedSignInRecorder } from '../users/failed-sign-ins.ts';
import { type AccessTokens, createAccessTokens } from './access-tokens.ts';
import { createClientGrant } from './client-grant.ts';
import { createCodeGrant } from './code-grant.ts';
import { createDeviceGrant } from './device-grant.ts';
import { createExchangeGrant } from './exchange-grant.ts';
import { createOpenFamily } from './family-lifecycle.ts';
import type { IdTokenIssuer } from './id-tokens.ts';
import { createIntrospect, type Introspection } from './introspect.ts';
import { createIssuer, type TokenAnswer } from './issuer.ts';
import { createPasswordGrant } from './password-grant.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { createRevoke } from './revoke.ts';
import { createTokenEndpoint, type GrantHandler } from './token-endpoint.ts';
import { createTokenStatusReader, type ReadTokenStatus } from './token-status.ts';
import { createUserInfo, type UserInfo, type UserInfoRequest } from './userinfo.ts';

/** Protocol endpoints for clients and resource servers. */
export interface Endpoints {
  /** POST /token. @throws Fault with an OAuth error name */
  token(request: ProtocolRequest): Promise<TokenAnswer>;
  /** POST /introspect (RFC 7662). */
  introspect(request: ProtocolRequest): Promise<Introspection>;
  /** POST /revoke. Returns when the revocation is written; a database that fails throws. */
  revoke(request: ProtocolRequest): Promise<void>;
  /** POST /device_authorization (RFC 8628 3.1). */
  deviceAuthorization(request: ProtocolRequest): Promise<DeviceAuthorization>;
  /** POST /par (RFC 9126). */
  pushedRequest(request: ProtocolRequest): Promise<PushedRequest>;
  /** GET and POST /userinfo (OpenID Connect Core 5.3). @throws Fault invalid_token, insufficient_scope */
  userInfo(request: UserInfoRequest): Promise<UserInfo>;
  /** Nonce for the `DPoP-Nonce` header (RFC 9449 8.2). */
  dpopNonce(): string;
}

interface EndpointParts {
  readonly keys: Keys;
  readonly idTokens: IdTokenIssuer;
  readonly authenticate: Authenticate;
  readonly factors: Pick<Factors, 'summaryOf'>;
  readonly resourceIndicators: ResourceIndicators;
}

type Made = EndpointParts & {
  readonly deps: Deps;
  readonly accessTokens: AccessTokens;
  readonly readTokenStatus: ReadTokenStatus;
};

const grantsOf = (made: Made, settings: AuthoritySettings): ReadonlyMap<string, GrantHandler> => {
  const { deps, factors, resourceIndicators, accessTokens, readTokenStatus, idTokens } = made;
  const { database, ids, clock } = deps;
  const issuer = createIssuer({ ids, accessTokens, idTokens, resourceIndicators }, settings);
  const openFamily = createOpenFamily(issuer, settings);
  const backOff = createBackOff(database);
  const recordFailedSignIn = createFailedSignInRecorder(deps);
  const common = {
    database,
    ids,
    clock,
    issuer,
    openFamily,
    resourceIndicators,
    accessTokens,
    readTokenStatus,
    factors,
  };
  return new Map([
    [grantTypeOf('authorization_code'), createCodeGrant(common)],
    [grantTypeOf('client_credentials'), createClientGrant(common)],
    [grantTypeOf('device_code'), createDeviceGrant(common)],
    [grantTypeOf('password'), createPasswordGrant({ ...common, backOff, recordFailedSignIn })],
    [grantTypeOf('refresh_token'), createRefreshGrant(common, settings)],
    [grantTypeOf('token_exchange'), createExchangeGrant(common, settings)],
  ]);
};

export const createEndpoints = (deps: Deps, parts: EndpointParts, settings: AuthoritySettings): Endpoints => {
  const { database, ids, clock } = deps;
  const { keys, authenticate, resourceIndicators } = parts;
  const accessTokens = createAccessTokens({ clock, keys }, settings);
  const dpop = createDpop(deps, { requiresNonce: settings.requiresDpopNonce });
  const senderProofs = createSenderProofs(dpop, settings.issuer);
  const readTokenStatus = createTokenStatusReader({ database });
  const grants = grantsOf({ ...parts, deps, accessTokens, readTokenStatus }, settings);
  return {
    token: createTokenEndpoint({ authenticate, senderProofs, grants }),
    introspect: createIntrospect({ authenticate, accessTokens, readTokenStatus }, settings),
    revoke: createRevoke({ database, authenticate, accessTokens }),
    deviceAuthorization: createDeviceAuthorization({ database, ids, authenticate, resourceIndicators }, settings),
    pushedRequest: createPushedRequests({
      database,
      authenticate,
      senderProofs,
      allowsResource: resourceIndicators.allowsResource,
    }),
    userInfo: createUserInfo({ database, accessTokens, readTokenStatus, dpop }, settings),
    dpopNonce: dpop.nonce,
  };
};
