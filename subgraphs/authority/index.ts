import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/caller';
import { buildSubgraph } from '@landfall/kernel/graph';
import type { Deps, Module } from '@landfall/kernel/module';
import { createSchedule, type Duty } from '@landfall/kernel/schedule';
import { type Bootstrap, type ClientSeed, createBootstrap, type TenantSeed, type UserSeed } from './bootstrap.ts';
import { createAuthenticate } from './clients/authenticate.ts';
import type { Context } from './context.ts';
import { createFactors } from './factors/factors.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createKeys, type Keys } from './keys/keys.ts';
import { createLoaders } from './loaders.ts';
import { type Metadata, metadataOf } from './metadata.ts';
import { resolvers } from './resolvers.ts';
import { createServices, operationsOf } from './services.ts';
import type { AuthoritySettings } from './settings.ts';
import { type BrowserPages, createBrowserBase, createBrowserPages } from './sign-in/door.ts';
import { createAccessTokens } from './tokens/access-tokens.ts';
import { createCodeGrant } from './tokens/code-grant.ts';
import { createIdTokens } from './tokens/id-tokens.ts';
import { createIntrospect, type Introspection } from './tokens/introspect.ts';
import { createIssuer, type TokenAnswer } from './tokens/issue.ts';
import type { ProtocolRequest } from './tokens/protocol.ts';
import { createRefreshGrant } from './tokens/refresh-grant.ts';
import { createRevoke } from './tokens/revoke.ts';
import { createClientCredentialsGrant, createTokenEndpoint } from './tokens/token-endpoint.ts';

export type { BrowserAnswer, BrowserRequest } from './sign-in/answers.ts';
export type { AuthoritySettings, ClientSeed, Introspection, Keys, ProtocolRequest, TenantSeed, TokenAnswer, UserSeed };

/** The authority: who may sign in, which tokens there are, and what each is worth. */
export interface Authority extends Module {
  /** For verification in the same process: `createKeys(async () => (await authority.keys.jwks()).keys)`. */
  readonly keys: Keys;
  readonly metadata: Metadata;
  /** POST /token. @throws Fault with an OAuth error name */
  token(request: ProtocolRequest): Promise<TokenAnswer>;
  /** POST /introspect. */
  introspect(request: ProtocolRequest): Promise<Introspection>;
  /** POST /revoke. Returns when the revocation is written; a database that fails throws. */
  revoke(request: ProtocolRequest): Promise<void>;
  readonly pages: BrowserPages;
  /** What its worker does, once an hour for however many processes there are. */
  readonly housekeeping: Duty;
  /** For the composition root only: what must be there before anybody can sign in. */
  readonly bootstrap: Bootstrap;
}

export const createAuthority = (deps: Deps, given: AuthoritySettings): Authority => {
  const settings = { ...given, issuer: given.issuer.replace(/\/+$/, '') };
  const { database, clock, ids } = deps;
  const keys = createKeys(deps);
  const accessTokens = createAccessTokens({ clock, keys }, settings);
  const idTokens = createIdTokens({ clock, keys }, settings);
  const issuer = createIssuer({ ids, accessTokens, idTokens }, settings);
  const authenticate = createAuthenticate(deps);
  const factors = createFactors(deps, settings);
  const browser = createBrowserBase(deps, factors, settings);
  const housekeeping = createHousekeeping({ database, keys }, settings);
  const services = createServices(deps);

  return {
    name: 'authority',
    operations: operationsOf(services),
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      ...services,
      caller,
      loaders: createLoaders(caller, services),
      accountUrl: `${settings.issuer}/account`,
    }),
    workers: [createSchedule(deps, 'authority.housekeeping', [housekeeping])],
    migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
    keys,
    metadata: metadataOf(settings.issuer),
    token: createTokenEndpoint(
      authenticate,
      new Map([
        ['authorization_code', createCodeGrant({ database, ids, issuer }, settings)],
        ['client_credentials', createClientCredentialsGrant({ issuer })],
        ['refresh_token', createRefreshGrant({ database, issuer }, settings)],
      ]),
    ),
    introspect: createIntrospect({ database, authenticate, accessTokens }, settings),
    revoke: createRevoke({ database, authenticate, accessTokens }),
    pages: createBrowserPages(deps, { ...browser, factors, idTokens, singleSignOn: undefined }, settings),
    housekeeping,
    bootstrap: createBootstrap(deps),
  };
};
