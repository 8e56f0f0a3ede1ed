import { randomBytes } from 'node:crypto';
import { isId, type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import { createLru } from '@landfall/kernel/core/lru';
import type { Deps } from '@landfall/kernel/module';
import * as oidc from 'openid-client';
import Type, { type Static } from 'typebox';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { type BrowserAnswer, type BrowserRequest, pageAnswer, redirectAnswer } from '../sign-in/browser-answers.ts';
import { servesTenant } from '../sign-in/completion.ts';
import type { BrowserServices } from '../sign-in/page-ports.ts';
import { noticePage } from '../sign-in/pages/notices.ts';
import type { SignInRequest } from '../sign-in/requests.ts';
import type { ProviderChoice, SingleSignOn } from '../sign-in/single-sign-on.ts';
import { createTicket } from '../sign-in/tickets.ts';
import { authTimeOf, maxSignInAgeMs } from './auth-time.ts';
import { createProvisioning, type ProvisioningRefusal } from './just-in-time-provisioning.ts';
import { fitsAccessToken, type ProviderClaims, readClaims } from './provider-claims.ts';
import { connect } from './provider-client.ts';
import { failureOf, type SignInFailure } from './provider-failures.ts';
import * as store from './providers.store.ts';
import { openSecret, redirectUriOf } from './providers.ts';
import { queryOf, shortenQuery } from './request-shortening.ts';

/** Time limit for the sign-in at the provider. */
const REDIRECT_MS = 600_000;
/** Cache lifetime of a discovery document. */
const KNOWN_MS = 600_000;
const KNOWN_MOST = 1_000;
/** Pause in milliseconds after a failed request to a provider. */
const DOWN_MS = 5_000;

const pendingShape = Type.Object({
  tenant: Type.String(),
  providerId: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  search: Type.String(),
  /** Time of departure and maximum age of the sign-in at the provider, in milliseconds. */
  leftAt: Type.Integer(),
  oldestMs: Type.Integer(),
});

type RedirectState = Static<typeof pendingShape>;

const STOPPED = 'You may not sign in here. Ask an administrator.';

const REFUSALS: Readonly<Record<ProvisioningRefusal, (name: string) => string>> = {
  unknown: (name) => `${name} vouches for you, but nobody here has your name. Ask an administrator to let you in.`,
  'has-password': (name) =>
    `Somebody here has the name that ${name} says, and signs in another way. Sign in that way, or ask an administrator.`,
  'no-username': (name) => `${name} did not say a user name that can be used here. Ask an administrator.`,
  'foreign-domain': (name) => `${name} may not speak for the domain of your user name. Ask an administrator.`,
  taken: () => 'Your user name is taken. Ask an administrator.',
  stopped: () => STOPPED,
};

const START_AGAIN =
  'This sign-in was begun in another browser, was finished already, or took too long. Start again from the application.';

const opaque = (): string => randomBytes(32).toString('base64url');

/** Callback URL with every query value: the library refuses duplicates. */
const answeredAt = (redirectUri: string, query: unknown): URL => {
  const url = new URL(redirectUri);
  for (const [name, values] of Object.entries(Object(query)))
    for (const value of [values].flat()) url.searchParams.append(name, String(value));
  return url;
};

/** Cache of provider clients by the provider's version; concurrent callers share one discovery. */
const createConnections = ({ http, ids, secrets, clock }: Pick<Deps, 'http' | 'ids' | 'secrets' | 'clock'>) => {
  const known = createLru<string, Promise<oidc.Configuration>>({
    most: KNOWN_MOST,
    lifeMs: KNOWN_MS,
    now: () => clock.now().getTime(),
  });
  return async (provider: store.Provider): Promise<oidc.Configuration> => {
    const { tenant, id, version, issuer, clientId } = provider;
    const key = `${tenant} ${id} ${version}`;
    const found = known.get(key);
    if (found) return found;
    const clientSecret = openSecret(secrets, provider);
    const config = connect({ http, ids }, { tenant, issuer, clientId, clientSecret });
    known.set(key, config);
    config.catch(() => known.set(key, config, DOWN_MS));
    return config;
  };
};

/**
 * Redeems the code of a callback. The library checks state, nonce and PKCE, `iss` of the callback where announced (RFC
 * 9207), and the ID token's signature, `iss`, `aud`, `exp` and `nonce`.
 */
const redeem = async (config: oidc.Configuration, url: URL, remaining: RedirectState, groupsClaim: string) => {
  const { state, nonce, verifier } = remaining;
  const tokens = await oidc.authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  const isOneAnswer =
    claims !== undefined &&
    tokens.id_token !== undefined &&
    fitsAccessToken(tokens.id_token, tokens.access_token, claims.at_hash);
  if (!isOneAnswer) throw new oidc.ClientError('the tokens are not of one answer');
  const authTime = authTimeOf(claims.auth_time, remaining);
  const needsUserInfo = claims[groupsClaim] === undefined || claims.preferred_username === undefined;
  const hasMore = needsUserInfo && config.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasMore ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
  const assertedClaims: ProviderClaims = { subject: claims.sub, ...readClaims({ ...more, ...claims }, groupsClaim) };
  return { vouched: assertedClaims, authTime };
};

/** Sign-in through the OpenID Connect providers of tenants. */
export const createFederation = (deps: Deps, base: BrowserServices, settings: AuthoritySettings) => {
  const { database, log, clock } = deps;
  const { cookies, requests, flow } = base;
  const ticket = createTicket({ ...deps, cookies }, { use: 'federation', schema: pendingShape, aliveMs: REDIRECT_MS });
  const connectionTo = createConnections(deps);
  const provision = createProvisioning(deps);

  const failurePage = (provider: store.Provider, search: string, { status, message }: SignInFailure): BrowserAnswer => {
    const title = `You are not signed in through ${provider.name}`;
    const retryLink = { to: `/sign-in?${search}`, label: 'Try again' };
    return pageAnswer(status, noticePage({ title, message, onward: retryLink }, settings));
  };

  /** Shows failures of the provider as a page; rethrows our own. */
  const withFailures = async (provider: store.Provider, search: string, go: () => Promise<BrowserAnswer>) => {
    try {
      return await go();
    } catch (error) {
      const failure = failureOf(error, provider.name);
      if (!failure) throw error;
      log.warn({ err: error, identityProvider: provider.id }, 'a sign-in through a provider failed');
      return failurePage(provider, search, failure);
    }
  };

  const findIn = async (tenant: TenantId, id: string): Promise<store.Provider | undefined> => {
    if (!isId(id, 'IdentityProvider')) return undefined;
    const found = await database.read(tenant, (query) => store.find(query, tenant, id));
    return found?.active ? found : undefined;
  };

  const selected = async (request: SignInRequest, { providerId, username }: ProviderChoice) => {
    if (providerId !== undefined) {
      // Only the pages of a client of one tenant have buttons, for providers of that tenant.
      const isOneTenants = request.kind === 'authorization' && !request.client.servesEveryTenant;
      return isOneTenants ? findIn(request.client.tenant, providerId) : undefined;
    }
    const domain = username.slice(username.lastIndexOf('@') + 1);
    const claim = await database.system.read((query) => store.findByDomain(query, domain));
    return claim && servesTenant(request, claim.tenant) ? findIn(claim.tenant, claim.providerId) : undefined;
  };

  const leave = async (
    provider: store.Provider,
    signInRequest: SignInRequest,
    request: BrowserRequest,
    username: string,
  ) => {
    const config = await connectionTo(provider);
    const [state, nonce, verifier] = [opaque(), opaque(), opaque()];
    const [leftAt, oldestMs] = [clock.now().getTime(), maxSignInAgeMs(signInRequest)];
    const sealed = ticket.seal(request.cookie, {
      tenant: provider.tenant,
      providerId: provider.id,
      state,
      nonce,
      verifier,
      search: await shortenQuery(database, signInRequest, REDIRECT_MS),
      leftAt,
      oldestMs,
    });
    if (sealed === undefined) return requests.refuse(400, START_AGAIN);
    const to = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUriOf(settings.issuer, provider.id),
      scope: provider.scopes.join(' '),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      max_age: String(Math.floor(oldestMs / 1_000)),
      ...(username.includes('@') && { login_hint: username }),
      ...(signInRequest.prompts.includes('login') && { prompt: 'login' }),
    });
    return redirectAnswer(to.href, cookies.provider.set(sealed, REDIRECT_MS));
  };

  /** Maps a provider's claims to a person of the tenant and continues with them as first factor. */
  const continueSignIn = async (
    request: BrowserRequest,
    signInRequest: SignInRequest,
    {
      provider,
      vouched: assertedClaims,
      authTime,
    }: { provider: store.Provider; vouched: ProviderClaims; authTime: Date },
  ) => {
    const provisioned = await provision({ provider, vouched: assertedClaims, requestId: request.requestId });
    if ('refusal' in provisioned)
      return failurePage(provider, signInRequest.search, {
        status: 403,
        message: REFUSALS[provisioned.refusal](provider.name),
      });
    const { tenant } = provider;
    const first = { tenant, userId: provisioned.userId, amr: assertedClaims.amr, authTime };
    const answer = await flow.proceed(request, signInRequest, first);
    return answer ?? failurePage(provider, signInRequest.search, { status: 403, message: STOPPED });
  };

  const singleSignOn: SingleSignOn = {
    isOffered: () => database.system.read((query) => store.isAnyOffered(query)),
    async providersOf(tenant) {
      const all = await database.read(tenant, (query) => store.list(query, tenant));
      return all.filter(({ active }) => active).map(({ id, name }) => ({ id, name }));
    },
    async begin(asked, request, choice) {
      const provider = await selected(asked, choice);
      if (!provider) return undefined;
      const answer = await withFailures(provider, asked.search, () => leave(provider, asked, request, choice.username));
      return { name: provider.name, answer };
    },
  };

  return {
    ...singleSignOn,
    /** GET /federation/callback/{id}: return from a provider. */
    async callback(request: BrowserRequest, providerId: string): Promise<BrowserAnswer> {
      const remaining = ticket.open(request.cookie, cookies.provider.read(request.cookie));
      const provider =
        remaining && remaining.providerId === providerId
          ? await findIn(toTenantId(remaining.tenant), providerId)
          : undefined;
      if (!remaining || !provider) return requests.refuse(400, START_AGAIN);
      return requests.withRequest({ ...request, query: queryOf(remaining.search) }, (asked) =>
        withFailures(provider, remaining.search, async () => {
          const at = answeredAt(redirectUriOf(settings.issuer, toId(providerId, 'IdentityProvider')), request.query);
          const proved = await redeem(await connectionTo(provider), at, remaining, provider.groupsClaim);
          return continueSignIn(request, asked, { provider, ...proved });
        }),
      );
    },
  };
};
