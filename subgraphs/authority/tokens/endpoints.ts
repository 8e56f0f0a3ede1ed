import { createDpop } from '@landfall/kernel/dpop';
import type { Deps } from '@landfall/kernel/module';
import type { Authenticate } from '../clients/authenticate.ts';
import { grantTypeOf } from '../clients/grants.ts';
import type { Factors } from '../factors/factors.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../settings.ts';
import { createPushedRequests, type PushedRequest } from '../sign-in/pushed-requests.ts';
import { createBackOff } from '../users/back-off.ts';
import { createTellFailure } from '../users/failed-sign-ins.ts';
import { type AccessTokens, createAccessTokens } from './access-tokens.ts';
import { createClientGrant } from './client-grant.ts';
import { createCodeGrant } from './code-grant.ts';
import { createDeviceAuthorization, type DeviceAuthorization } from './device-authorization.ts';
import { createDeviceGrant } from './device-grant.ts';
import { createExchangeGrant } from './exchange-grant.ts';
import type { IdTokens } from './id-tokens.ts';
import { createIntrospect, type Introspection } from './introspect.ts';
import { createIssuer, type TokenAnswer } from './issue.ts';
import { createPasswordGrant } from './password-grant.ts';
import type { ProtocolRequest } from './protocol.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { createRevoke } from './revoke.ts';
import { createSenders } from './senders.ts';
import { createOpenFamily } from './sign-ins.ts';
import { createStanding, type StandingOf } from './standing.ts';
import type { Targets } from './targets.ts';
import { createTokenEndpoint, type GrantHandler } from './token-endpoint.ts';
import { createUserInfo, type UserInfo, type UserInfoRequest } from './userinfo.ts';

/** What clients and resource servers ask of the authority over the protocols. */
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
  /** What to offer in `DPoP-Nonce` to a request that carried a proof (RFC 9449 8.2). */
  dpopNonce(): string;
}

export interface EndpointParts {
  readonly keys: Keys;
  readonly idTokens: IdTokens;
  readonly authenticate: Authenticate;
  readonly factors: Pick<Factors, 'of'>;
  readonly targets: Targets;
}

type Made = EndpointParts & {
  readonly deps: Deps;
  readonly accessTokens: AccessTokens;
  readonly standingOf: StandingOf;
};

const grantsOf = (made: Made, settings: AuthoritySettings): ReadonlyMap<string, GrantHandler> => {
  const { deps, factors, targets, accessTokens, standingOf, idTokens } = made;
  const { database, ids, clock } = deps;
  const issuer = createIssuer({ ids, accessTokens, idTokens, targets }, settings);
  const openFamily = createOpenFamily(issuer, settings);
  const backOff = createBackOff(database);
  const tellFailure = createTellFailure(deps);
  const common = { database, ids, clock, issuer, openFamily, targets, accessTokens, standingOf, factors };
  return new Map([
    [grantTypeOf('authorization_code'), createCodeGrant(common)],
    [grantTypeOf('client_credentials'), createClientGrant(common)],
    [grantTypeOf('device_code'), createDeviceGrant(common)],
    [grantTypeOf('password'), createPasswordGrant({ ...common, backOff, tellFailure })],
    [grantTypeOf('refresh_token'), createRefreshGrant(common, settings)],
    [grantTypeOf('token_exchange'), createExchangeGrant(common, settings)],
  ]);
};

export const createEndpoints = (deps: Deps, parts: EndpointParts, settings: AuthoritySettings): Endpoints => {
  const { database, ids, clock } = deps;
  const { keys, authenticate, targets } = parts;
  const accessTokens = createAccessTokens({ clock, keys }, settings);
  const dpop = createDpop(deps, { requiresNonce: settings.requiresDpopNonce });
  const senders = createSenders(dpop, settings.issuer);
  const standingOf = createStanding({ database });
  const grants = grantsOf({ ...parts, deps, accessTokens, standingOf }, settings);
  return {
    token: createTokenEndpoint({ authenticate, senders, grants }),
    introspect: createIntrospect({ authenticate, accessTokens, standingOf }, settings),
    revoke: createRevoke({ database, authenticate, accessTokens }),
    deviceAuthorization: createDeviceAuthorization({ database, ids, authenticate, targets }, settings),
    pushedRequest: createPushedRequests({ database, authenticate, senders, mayTarget: targets.mayTarget }),
    userInfo: createUserInfo({ database, accessTokens, standingOf, dpop }, settings),
    dpopNonce: dpop.nonce,
  };
};
