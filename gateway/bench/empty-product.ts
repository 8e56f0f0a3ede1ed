import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { authorityModule } from '@landfall/authority';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { caller } from '@landfall/kernel/testing/callers';
import { type FaultProxy, startFaultProxy } from '@landfall/kernel/testing/fault-proxy';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { createModules } from '../modules/modules.ts';
import { createDependencies } from '../process/dependencies.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { type BenchClient, visit } from './bench-client.ts';
import { benchDirectory } from './bench-host.ts';
import { treeOf } from './processes.ts';
import { createHome, startProduct } from './product-process.ts';

/** Answer of the registration with the secret, which no other answer contains. */
const created = Type.Object({ client: Type.Object({ id: Type.String() }), secret: Type.String() });

type Registered = Static<typeof created>;

/** Product without the demo, so that a bench brings its own agents. */
export interface EmptyProduct extends AsyncDisposable {
  readonly agentUrl: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Address of its PostgreSQL, as superuser. */
  readonly databaseUrl: string;
  readonly visitor: BenchClient;
  /** Proxy between the product and its PostgreSQL, if requested. */
  readonly proxy: FaultProxy | undefined;
  /** Creates a client with every right in another tenant. */
  visitorOf(tenant: string): Promise<BenchClient>;
  /** Process ids of the server and of its PostgreSQL. */
  processes(): Promise<number[]>;
  /** Process ids of the server only. */
  serverProcesses(): Promise<number[]>;
  /** Registers a client of tenant `acme`, as its administrator would. */
  register(client: object): Promise<Registered>;
}

/** Registration of a client with every right. */
const OPERATOR = {
  name: 'operator',
  grants: ['client_credentials'],
  scopes: ['release:read', 'orch:read', 'orch:operate', 'orch:approve', 'orch:admin'],
};

/** Registers a client through the server's database, without an administrator. */
export const registerDirectly = async (
  env: NodeJS.ProcessEnv,
  client: object,
  tenant = 'acme',
): Promise<Registered> => {
  const settings = loadSettings(gatewaySettings, { env });
  await using host = await createDependencies(settings, silentLog);
  await host.startEgress();
  const authority = authorityModule.get(createModules([authorityModule], host.deps, settings));
  await authority.bootstrap.ensureTenant({ tenant, name: tenant });
  const create = authority.operations.find(({ spec }) => spec.name === 'client.create');
  const administrator = caller({ tenant, subject: 'bench', kind: 'user', scopes: ['authority:admin'] });
  return Parse(created, await create?.(administrator, client));
};

/**
 * Starts the product in one process over a durable PostgreSQL in another one, so that the load of the two can be
 * measured separately.
 */
export const startEmpty = async ({ isProxied = false } = {}): Promise<EmptyProduct> => {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await benchDirectory());
  const postgres = await startPostgres({ dataDir: join(directory.path, 'beside') });
  stack.defer(() => postgres.stop());
  const { host, port, user, database } = postgres.connection;
  const proxy = isProxied ? stack.use(await startFaultProxy({ path: `${host}/.s.PGSQL.${port}` })) : undefined;
  const databaseUrl = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
  const home = await createHome(directory.path);
  const env: NodeJS.ProcessEnv = {
    ...home.env,
    DATABASE_URL: proxy ? `postgresql://${user}@${proxy.host}:${proxy.port}/${database}` : databaseUrl,
    LANDFALL_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  stack.use(await startProduct({ ...home, env }, undefined, ['--no-demo']));
  const authUrl = `http://127.0.0.1:${env.LANDFALL_AUTH_PORT}`;
  const sessions = stack.use(new AsyncDisposableStack());
  const visitorOf = async (tenant: string): Promise<BenchClient> => {
    const { client, secret } = await registerDirectly(env, OPERATOR, tenant);
    const clients = [{ name: 'operator', clientId: client.id, clientSecret: secret }];
    const consoleUser = await visit({ baseUrl: home.baseUrl, authUrl, clients, ids: {} });
    sessions.defer(() => consoleUser.leave());
    return consoleUser;
  };
  const consoleUser = await visitorOf('acme');
  const resources = stack.move();
  const running = async (...words: readonly string[]): Promise<number[]> =>
    (await treeOf(process.pid))
      .filter(({ command }) => words.some((word) => command.includes(word)))
      .map(({ pid }) => pid);
  return {
    agentUrl: `https://127.0.0.1:${env.LANDFALL_AGENT_PORT}`,
    authUrl,
    baseUrl: home.baseUrl,
    databaseUrl,
    visitor: consoleUser,
    proxy,
    visitorOf,
    processes: () => running('gateway/main.ts', 'postgres'),
    serverProcesses: () => running('gateway/main.ts'),
    register: (registration) => registerDirectly(env, registration),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
