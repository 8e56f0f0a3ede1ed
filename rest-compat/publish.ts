/**
 * Writes schema/rest.json, which describes every REST route for the edge's proxy, the docs pages and clients'
 * generators, and docs/errors.md, which names the operations that raise each code.
 *
 *   node rest-compat/publish.ts            writes them
 *   node rest-compat/publish.ts --check    fails when one is stale
 */
import { createAuthority } from '@landfall/authority';
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHttpClient } from '@landfall/kernel/http/client';
import { createDpop } from '@landfall/kernel/identity/dpop';
import type { Deps } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import type { Route } from '@landfall/kernel/routes/route';
import { unsealed } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { createOrchestrator } from '@landfall/orchestrator';
import { createRegistryToken, registryTokenSettings, registryTokenSettingsOf } from '@landfall/registry-token';
import { codeSources } from '@landfall/schema/code-sources.ts';
import { type DeclaredOperation, errorPage } from '@landfall/schema/error-page.ts';
import { finish, type Outcome, scriptOptions } from '@landfall/schema/output.ts';
import { repository } from '@landfall/schema/sdl.ts';
import { createSearch, searchSettings } from '@landfall/search';
import { type RouteModules, routesOf } from './index.ts';
import { published } from './published.ts';

/** Enough to make the modules; routes are data, so nothing here is ever asked for anything. */
const idleDeps = (): Deps => {
  const database = createDatabase({ connection: {} });
  const secrets = createSecrets([Buffer.alloc(32)]);
  return {
    database,
    secrets,
    operation: createOperations(database, secrets),
    clock: systemClock,
    ids: randomIds,
    http: createHttpClient({ egress: unsealed }),
    hints: { tell: () => {}, listen: () => ({ [Symbol.dispose]: () => {} }), close: async () => {} },
    log: silentLog,
  };
};

/** Every module, made of nothing. */
const allModules = () => {
  const deps = idleDeps();
  const lifetimes = { accessTokenMs: 0, codeMs: 0, deviceCodeMs: 0, devicePollMs: 0, refreshIdleMs: 0, sessionMs: 0 };
  const addresses = { issuer: 'http://authority.invalid', baseUrl: 'http://platform.invalid' };
  return {
    authority: createAuthority(deps, {
      ...addresses,
      audience: '',
      version: '',
      requiresDpopNonce: false,
      hasMutualTls: false,
      ...lifetimes,
    }),
    registryTokens: createRegistryToken(
      deps,
      registryTokenSettingsOf(loadSettings(registryTokenSettings, { env: {} }), {
        baseUrl: addresses.baseUrl,
        authUrl: addresses.issuer,
        audience: '',
      }),
      { keys: { find: async () => undefined }, dpop: createDpop(deps, { requiresNonce: false }) },
    ),
    search: createSearch(deps, loadSettings(searchSettings, { env: {} }), {
      place: { dataDir: '.', baseUrl: addresses.baseUrl },
      ports: {
        upstream: async () => ({ status: 404, body: new Uint8Array() }),
        knowledge: async () => ({ documents: [], apiSpecCount: 0, operations: [], checks: [] }),
      },
    }),
    orchestrator: createOrchestrator(deps, {
      platformDomain: 'landfall.example',
      agentUrl: 'https://127.0.0.1:4002',
      deploymentLogDays: 30,
      signingKeys: createSigningKeys(deps),
    }),
  } satisfies RouteModules;
};

/** Every route there is. */
export const allRoutes = (): Route[] => routesOf(allModules());

/** The operations of every module, as docs/errors.md names them. */
export const allOperations = (): DeclaredOperation[] =>
  Object.values(allModules()).flatMap(({ name, operations }) =>
    operations.map(({ spec }) => ({ module: name, name: spec.name, raises: spec.raises })),
  );

/** The files as they should be. */
export const publish = (): Outcome => ({
  files: new Map([
    ['schema/rest.json', `${JSON.stringify({ routes: allRoutes().map(published) }, undefined, 2)}\n`],
    ['docs/errors.md', errorPage(allOperations(), codeSources(repository))],
  ]),
  problems: [],
});

if (import.meta.main) {
  const { root, check } = scriptOptions();
  finish(root, publish(), check);
}
