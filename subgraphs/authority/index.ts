import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import { createTxtResolver, type ResolveTxt } from '@landfall/kernel/system/dns';
import { openEgress } from '@landfall/kernel/system/egress';
import { createSchedule } from '@landfall/kernel/work/schedule';
import { createAccount } from './account/account.ts';
import { createResourceIndicators } from './authorization/resource-indicators.ts';
import { createAuthenticate } from './clients/authenticate.ts';
import type { Context } from './context.ts';
import { createFactors } from './factors/factors.ts';
import { createFederation } from './federation/federation.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createKeys, type Keys } from './keys/keys.ts';
import { createLoaders } from './loaders.ts';
import { metadataOf } from './metadata.ts';
import { type ClientSeed, createBootstrap, type TenantSeed, type UserSeed } from './operator/bootstrap.ts';
import { authorityCommands } from './operator/commands.ts';
import type { ProtocolRequest } from './protocol/protocol-request.ts';
import { type AuthoritySettings, authoritySettings } from './protocol/settings.ts';
import { resolvers } from './resolvers.ts';
import { createScim } from './scim/scim.ts';
import { createServices, operationsOf } from './services.ts';
import { createBrowserPages, createBrowserServices } from './sign-in/browser-pages.ts';
import { createEndpoints } from './tokens/endpoints.ts';
import { createIdTokens } from './tokens/id-tokens.ts';

export { type AllowsOrigin, createAllowedOrigins } from './clients/allowed-origins.ts';
export { authorityDestinations } from './federation/destinations.ts';
export { createDomainAssignments } from './federation/domain-assignments.ts';
export { createFirstAdmin, type FirstAdmin, parseAdmin } from './operator/first-admin.ts';
export { authoritySettings } from './protocol/settings.ts';
export type {
  Projection as ScimWanted,
  Resource as ScimResource,
  Scim,
  SearchPage as ScimFound,
  Versioned as ScimVersioned,
} from './scim/scim.ts';
export type { BrowserAnswer, BrowserRequest } from './sign-in/browser-answers.ts';
export { createTenants } from './tenants/tenants.ts';
export { peopleDirectory } from './users/people-directory.ts';
export type { AuthoritySettings, ClientSeed, Keys, ProtocolRequest, TenantSeed, UserSeed };

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Creates the authority: people, sign-in, clients and tokens. */
export const createAuthority = (
  deps: Deps,
  config: AuthoritySettings,
  { resolveTxt }: { readonly resolveTxt: ResolveTxt } = { resolveTxt: createTxtResolver({ egress: openEgress }) },
) => {
  const settings = { ...config, issuer: withoutSlash(config.issuer), baseUrl: withoutSlash(config.baseUrl) };
  const { database, clock } = deps;
  const keys = createKeys(deps);
  const idTokens = createIdTokens({ clock, keys }, settings);
  const authenticate = createAuthenticate(deps);
  const factors = createFactors(deps, settings);
  const browser = createBrowserServices(deps, { factors, idTokens }, settings);
  const housekeeping = createHousekeeping({ database, keys }, settings);
  const services = createServices(deps, { keys, factors, resolveTxt }, settings);
  const scim = createScim(deps, settings);
  const federation = createFederation(deps, browser, settings);

  return {
    name: 'authority',
    operations: [...operationsOf(services), ...Object.values(scim.people), ...Object.values(scim.groups)],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      ...services,
      caller,
      loaders: createLoaders(caller, services),
      accountUrl: `${settings.issuer}/account`,
    }),
    workers: [createSchedule(deps, 'authority.housekeeping', [housekeeping])],
    /** For verification in the same process: `createKeys(async () => (await authority.keys.jwks()).keys)`. */
    keys,
    metadata: metadataOf(settings),
    ...createEndpoints(
      deps,
      { keys, idTokens, authenticate, factors, resourceIndicators: createResourceIndicators(settings) },
      settings,
    ),
    pages: createBrowserPages(deps, { ...browser, factors, idTokens, singleSignOn: federation }, settings),
    account: createAccount(deps, { ...browser, factors }, settings),
    federation,
    /** SCIM 2.0 at {base_url}/scim/v2. */
    scim,
    housekeeping,
    bootstrap: createBootstrap(deps),
  };
};

export type Authority = ReturnType<typeof createAuthority>;

export const authorityModule = defineModule({
  name: 'authority',
  settings: authoritySettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  listener: 'authority',
  commands: authorityCommands,
  checks: async () => (await import('./operator/checks.ts')).authorityChecks,
  demo: async () => (await import('./demo/access.ts')).accessChapter,
  seed: async () => (await import('./testing/seed.ts')).authoritySeed,
  configure:
    (settings, { authUrl, ...platform }) =>
    (deps, { resolveTxt }) =>
      createAuthority(deps, { ...settings, ...platform, issuer: authUrl }, { resolveTxt }),
});
