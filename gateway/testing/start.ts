/**
 * The product as its users meet it: real processes over a database of their own, in either run mode.
 *
 *   node gateway/testing/start.ts all-in-one|roles [--demo]
 *
 * prints one line of JSON (`Running`) when everything is ready and runs until its input ends. With the demo there is an
 * epilogue to the story, a canary that waits and clients of other kinds, and a second installation beside it that issues
 * registry tokens by other settings.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { authorityModule } from '@landfall/authority';
import type { Deps, Module } from '@landfall/kernel/module';
import { createLog, silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { orchestratorModule } from '@landfall/orchestrator';
import { MODULES } from '@landfall/rest-compat/modules';
import { scannerModule } from '@landfall/scanner';
import pg from 'pg';
import { commandHost } from '../cli/commands/installation.ts';
import type { Credentials } from '../demo/credentials.ts';
import { type Demo, startDemo } from '../demo/demo.ts';
import { createModules } from '../modules/modules.ts';
import { createDependencies } from '../process/dependencies.ts';
import { addScan } from '../proofs/frozen-scan.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { addAccessClients } from './access-additions.ts';
import { addCanaryAtGate } from './demo-additions.ts';
import { freePorts, type Started, startProcess } from './processes.ts';
import { type Realm, startRealm } from './realm.ts';

type Mode = 'all-in-one' | 'roles';

const MODES: readonly Mode[] = ['all-in-one', 'roles'];

/** Run modes of this test run: `npm test` has the first, a full run and a file that runs alone have both. */
export const modes: readonly Mode[] = MODES.filter(
  (mode) => process.env.LANDFALL_TEST_MODES?.split(',').includes(mode) ?? true,
);

type Env = Readonly<Record<string, string>>;

/** Addresses and files of a running product. */
interface Running {
  readonly mode: Mode;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  readonly dataDir: string;
  /** Settings of its processes. */
  readonly env: Env;
  /** Modules' own listeners, for other roles only; empty when one process runs everything. */
  readonly inside: Readonly<Record<string, string>>;
}

export interface Product extends Running, AsyncDisposable {
  /** Dependencies with the processes' root key and database, for what no interface offers. */
  readonly deps: Deps;
  readonly modules: readonly Module[];
  /** Database address for programs that open the installation themselves. */
  readonly databaseUrl: string;
}

/** Product with its processes, which the caller may stop. */
interface StartedProduct extends Product {
  readonly processes: readonly Started[];
}

const local = (port: number | undefined): string => `http://127.0.0.1:${port}`;

const startAllInOne = async (env: Env, stack: AsyncDisposableStack) => [
  stack.use(await startProcess(['--no-demo'], env, local(Number(env.LANDFALL_PORT)))),
];

const startRoles = async (env: Env, inner: Env, stack: AsyncDisposableStack): Promise<Started[]> => {
  const modules = Object.entries(inner);
  const LANDFALL_MODULES = modules.map(([name, url]) => `${name}=${url}`).join(',');
  const start = async (args: readonly string[], url: string): Promise<Started> => {
    const [admin] = await freePorts(1);
    const own = { ...env, LANDFALL_MODULES, LANDFALL_PORT: new URL(url).port, LANDFALL_ADMIN_PORT: String(admin) };
    return stack.use(await startProcess(args, own, url));
  };
  // Waits for all of them: one that starts while another fails must still be stopped.
  const settled = await Promise.allSettled(
    modules.map(([name, url]) => start(['--role', `module:${name}`, '--worker'], url)),
  );
  const results = settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return [...results, await start(['--role', 'edge'], local(Number(env.LANDFALL_PORT)))];
};

/** Makes the test database's clock run, since it stands still by default. */
export const letTimePass = async (connection: pg.ClientConfig): Promise<void> => {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`create or replace function kernel.now() returns timestamptz
    language sql stable parallel safe return pg_catalog.now()`);
  await client.end();
};

const environment = async (databaseUrl: string, dataDir: string, secretKey: string): Promise<Env> => {
  const [web, auth, agent, admin] = await freePorts(4);
  return {
    DATABASE_URL: databaseUrl,
    LANDFALL_DATA_DIR: dataDir,
    LANDFALL_SECRET_KEY: secretKey,
    // The plans of the demo's tenants, one of whose licences has ended.
    REGISTRY_TOKEN_PLANS: JSON.stringify({
      team: { repositories: [{ pattern: 'acme/*', actions: ['pull', 'push'] }, { pattern: 'public/*' }] },
      guest: { repositories: [{ pattern: 'public/*' }] },
    }),
    REGISTRY_TOKEN_REVOKEDLICENSES: 'GLOBEX-2025',
    SCOREREPLAY__ENABLED: 'true',
    ARTIFACTS__MOUNTRETRIEVAL: 'true',
    // The registries of tests are on this machine.
    LANDFALL_PRIVATE_REGISTRIES: 'true',
    LANDFALL_PORT: String(web),
    LANDFALL_AUTH_PORT: String(auth),
    LANDFALL_AGENT_PORT: String(agent),
    LANDFALL_ADMIN_PORT: String(admin),
    LANDFALL_BASE_URL: local(web),
    LANDFALL_AUTH_URL: local(auth),
    LANDFALL_AGENT_URL: `https://127.0.0.1:${agent}`,
  };
};

/** Creates database, directory and addresses for an installation. */
const freeAddresses = async (stack: AsyncDisposableStack) => {
  const database = stack.use(await testDatabase());
  await letTimePass(database.connection);
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-product-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const env = await environment(database.url, dataDir, randomBytes(32).toString('base64'));
  return { database, dataDir, env };
};

/** Settings of a running product, by which another process opens it. */
interface Opened {
  readonly mode: Mode;
  readonly env: Env;
  readonly inside: Env;
}

const open = async ({ mode, env, inside: inner }: Opened, stack: AsyncDisposableStack): Promise<Product> => {
  const settings = loadSettings(gatewaySettings, { env });
  const host = stack.use(await createDependencies(settings, silentLog));
  await host.startEgress();
  const resources = stack.move();
  return {
    mode,
    env,
    inside: inner,
    dataDir: env.LANDFALL_DATA_DIR ?? '',
    baseUrl: env.LANDFALL_BASE_URL ?? '',
    authUrl: env.LANDFALL_AUTH_URL ?? '',
    agentUrl: env.LANDFALL_AGENT_URL ?? '',
    databaseUrl: env.DATABASE_URL ?? '',
    deps: host.deps,
    modules: createModules(MODULES, host.deps, settings),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

/**
 * Starts the product without the demo and waits until every process is ready.
 * @param overrides additional settings
 */
export const startProduct = async (mode: Mode, overrides: Env = {}): Promise<StartedProduct> => {
  await using stack = new AsyncDisposableStack();
  const { env: own } = await freeAddresses(stack);
  const env = { ...own, ...overrides };
  const ports = await freePorts(MODULES.length);
  const addresses = Object.fromEntries(MODULES.map(({ name }, index) => [name, local(ports[index])]));
  const inner: Env = mode === 'roles' ? addresses : {};
  const processes = await (mode === 'roles' ? startRoles(env, inner, stack) : startAllInOne(env, stack));
  return { ...(await open({ mode, env, inside: inner }, stack)), processes };
};

/** Products of this test run by mode, as printed by this program. */
const running = JSON.parse(process.env.LANDFALL_TEST_PRODUCTS ?? '{}');

/**
 * Product shared by the files of a test run; a file that runs alone starts its own. Tests use their own tenants, and
 * neither stop nor change anything that others would notice.
 */
export const sharedProduct = async (mode: Mode): Promise<Product> => {
  if (running[mode] === undefined) return startProduct(mode);
  await using stack = new AsyncDisposableStack();
  return await open(running[mode], stack);
};

/** Creates the demo in a running product. */
const createDemo = async ({ modules, baseUrl, authUrl, agentUrl, dataDir, env }: Product): Promise<Demo> => {
  const { bootstrap } = authorityModule.get(modules);
  return startDemo({
    baseUrl,
    authUrl,
    agentUrl,
    dataDir,
    bootstrap,
    log: createLog({ level: 'warn' }, process.stderr),
    host: commandHost({ env }),
  });
};

/** Starts a second installation that trusts the product's authority. */
const startSecondInstallation = async ({ authUrl }: Product): Promise<Realm> => {
  await using stack = new AsyncDisposableStack();
  const { env } = await freeAddresses(stack);
  const realm = stack.use(await startRealm(env, authUrl));
  const resources = stack.move();
  return { baseUrl: realm.baseUrl, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

/** Creates the demo and starts the second installation. */
const createAll = async (product: Product, stack: AsyncDisposableStack) => {
  // Waits for both: one that starts while the other fails must still be stopped.
  const [demo, realm] = await Promise.allSettled([createDemo(product), startSecondInstallation(product)]);
  if (realm.status === 'fulfilled') stack.use(realm.value);
  if (demo.status === 'fulfilled') stack.use(demo.value);
  if (demo.status === 'rejected') throw demo.reason;
  if (realm.status === 'rejected') throw realm.reason;
  return { demo: demo.value, realm: realm.value };
};

const withExtraEntities = async ({ modules, authUrl, deps }: Product, credentials: Credentials) => {
  const scan = await addScan(scannerModule.get(modules), deps);
  const portal = credentials.clients.find(({ name }) => name === 'portal');
  if (!portal) throw new TypeError('the epilogue needs all of the story');
  const { bootstrap } = authorityModule.get(modules);
  const { clients, expiredDeviceCode } = await addAccessClients({ authUrl, deps, bootstrap }, portal);
  return {
    ...credentials,
    clients: [...credentials.clients, ...clients],
    ids: { ...(await addCanaryAtGate(orchestratorModule.get(modules), credentials.ids)), ...scan },
    expiredDeviceCode,
  };
};

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { demo: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const mode = MODES.find((name) => name === positionals[0]);
  if (!mode) throw new Error(`usage: node gateway/testing/start.ts ${MODES.join('|')} [--demo]`);
  await using product = await startProduct(mode);
  await using stack = new AsyncDisposableStack();
  const { demo, realm } = values.demo ? await createAll(product, stack) : {};
  const { baseUrl, authUrl, agentUrl, dataDir, env, inside: inner } = product;
  const credentials =
    demo && (await withExtraEntities(product, JSON.parse(await readFile(demo.credentialsFile, 'utf8'))));
  process.stdout.write(
    `${JSON.stringify({ mode, baseUrl, authUrl, agentUrl, dataDir, env, inside: inner, credentials, realmUrl: realm?.baseUrl })}\n`,
  );
  for await (const _ of process.stdin) {
    // Runs until the caller disposes of it.
  }
}
