/**
 * Writes schema/rest.json, which describes every REST route for the edge's proxy, the docs pages and clients'
 * generators, and docs/errors.md, which names the operations that raise each code.
 *
 *   node rest-compat/publish.ts            writes them
 *   node rest-compat/publish.ts --check    fails when one is stale
 */
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { noHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Deps, Module, ModulePorts } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import type { Route } from '@landfall/kernel/routes/route';
import { openEgress } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import type { Platform } from '@landfall/kernel/system/platform';
import { loadSettings } from '@landfall/kernel/system/settings';
import { codeSources } from '@landfall/schema/code-sources.ts';
import { type DeclaredOperation, errorPage } from '@landfall/schema/error-page.ts';
import { finish, type Outcome, scriptOptions } from '@landfall/schema/output.ts';
import { repository } from '@landfall/schema/sdl.ts';
import { MODULES, routesOf } from './modules.ts';
import { published } from './published.ts';

/** Dependencies that are enough to make the modules: routes are data, so none of them is used. */
const idleDeps = (): Deps => {
  const database = createDatabase({ connection: {} });
  const secrets = createSecrets([Buffer.alloc(32)]);
  return {
    database,
    secrets,
    operation: createOperations(database, secrets),
    clock: systemClock,
    ids: randomIds,
    http: createHttpClient({ egress: openEgress }),
    egress: openEgress,
    hints: noHints,
    log: silentLog,
  };
};

const PLATFORM: Platform = {
  baseUrl: 'http://platform.invalid',
  authUrl: 'http://authority.invalid',
  agentUrl: 'https://127.0.0.1:4002',
  platformDomain: 'landfall.example',
  dataDir: '.',
  audience: '',
  requiresDpopNonce: false,
  hasMutualTls: false,
  sessionMs: 0,
  version: '',
};

/** Settings that turn on the routes which are off by default, so that they are described too. */
const ENV = { SCOREREPLAY__ENABLED: 'true', ARTIFACTS__MOUNTRETRIEVAL: 'true' };

/** Port that no description of a route uses. */
const noNetwork = () => Promise.reject(new Error('no network'));

/** Every module with these settings, over dependencies that do nothing. */
const allModules = (): Module[] => {
  const deps = idleDeps();
  const ports: ModulePorts = {
    signingKeys: createSigningKeys(deps),
    authorityKeys: async () => [],
    resolveTxt: async () => ({ kind: 'records', records: [] }),
    upstream: async () => ({ status: 404, body: new Uint8Array() }),
    connect: noNetwork,
    products: { exists: async () => false, productsOfImages: async () => [] },
    people: { roles: [], listActive: async () => [], listActiveByIds: async () => [], listTenants: async () => [] },
    approvers: { scope: '', filterApprovers: async () => [] },
    releases: { imagesOf: async () => undefined, listImages: async () => [], requirementsOf: async () => undefined },
    documentSeal: () => ({
      signer: () => Promise.reject(new Error('no key')),
      stamp: () => Promise.reject(new Error('no key')),
      trust: () => Promise.reject(new Error('no key')),
      keys: async () => [],
    }),
    feeds: { importAll: noNetwork, countDocuments: noNetwork, findUnreadable: noNetwork },
    vex: { importAll: noNetwork },
    scanGate: { problemOf: () => undefined, open: noNetwork },
    releaseTransfer: { find: noNetwork, openRegistry: noNetwork, listGated: noNetwork, create: noNetwork },
    evidence: new Map(),
    destinations: async () => [],
    ownServices: { services: new Set(), objectStore: new Set() },
    contentDates: async () => ({ advisories: null, vex: null, policy: null }),
    knowledge: async () => ({ documents: [], apiSpecCount: 0, operations: [], checks: [] }),
    deprecations: () => [],
  };
  return MODULES.map((module) => module.configure(loadSettings(module.settings, { env: ENV }), PLATFORM)(deps, ports));
};

/** Every route of the product. */
export const allRoutes = (): readonly Route[] => routesOf(allModules());

/** The operations of every module, as docs/errors.md names them. */
export const allOperations = (): DeclaredOperation[] =>
  allModules().flatMap(({ name, operations }) =>
    operations.map(({ spec }) => ({ module: name, name: spec.name, raises: spec.raises })),
  );

/** Generated files with their present content. */
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
