// The product as an operator starts it, in a directory and on ports of its own, with the complete demo.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { timed } from '@landfall/kernel/testing/timed';
import { until } from '@landfall/kernel/testing/until';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';

const root = join(import.meta.dirname, '..');

/** A first start on two busy cores, the build of the console included. */
const TIMEOUT_MS = 240_000;
const STOP_MS = 30_000;

const text = Type.String();
const scopes = Type.Array(text);
const credentials = Type.Object({
  baseUrl: text,
  authUrl: text,
  agentUrl: text,
  tenant: text,
  users: Type.Array(Type.Object({ username: text, password: text, scopes })),
  clients: Type.Array(Type.Object({ name: text, clientId: text, clientSecret: text, scopes })),
  ids: Type.Record(text, text),
});

/** Credentials file that the demo writes. */
export type Credentials = Static<typeof credentials>;

export interface Product extends AsyncDisposable {
  readonly credentials: Credentials;
  readonly dataDir: string;
}

/** Loopback ports that are free at the moment. */
export const freePorts = async (count: number): Promise<string[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => server.listening || once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return String(typeof address === 'object' && address ? address.port : 0);
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
};

/** Settings of one start, by the names of their variables. */
type Environment = Readonly<Record<string, string>>;

const launch = async (dataDir: string, log: string, settings: Environment): Promise<ChildProcess> => {
  const [web = '', auth = '', agents = '', admin = ''] = await freePorts(4);
  const output = await open(log, 'a');
  try {
    return spawn(process.execPath, ['boot.mjs', 'start'], {
      cwd: root,
      stdio: ['ignore', output.fd, output.fd],
      env: {
        ...process.env,
        ...settings,
        LANDFALL_DATA_DIR: dataDir,
        LANDFALL_PORT: web,
        LANDFALL_AUTH_PORT: auth,
        LANDFALL_AGENT_PORT: agents,
        LANDFALL_ADMIN_PORT: admin,
      },
    });
  } finally {
    await output.close();
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const isLate = await Promise.race([exited.then(() => false), pause(STOP_MS, true, { ref: false })]);
  if (!isLate) return;
  child.kill('SIGKILL');
  throw new Error(`The product did not stop within ${STOP_MS / 1_000} s of being asked to.`);
};

const readCredentials = async (path: string): Promise<Credentials | undefined> => {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  return found === undefined ? undefined : Parse(credentials, JSON.parse(found));
};

const demoCredentials = (child: ChildProcess, path: string): Promise<Credentials> =>
  until(
    () => {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}.`);
      return readCredentials(path);
    },
    { withinMs: TIMEOUT_MS, everyMs: 200 },
  );

/** Uses the product that `E2E_CREDENTIALS` names and another process has started. */
const attach = async (path: string): Promise<Product> => ({
  credentials: Parse(credentials, JSON.parse(await readFile(path, 'utf8'))),
  dataDir: join(path, '..'),
  [Symbol.asyncDispose]: async () => {},
});

/** Starts the product and waits for the demo's end. Disposing of it stops it and removes what it wrote. */
const startOwn = async (settings: Environment): Promise<Product> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-e2e-'));
  await chmod(dataDir, 0o755); // As root, PostgreSQL's own user may enter the directory.
  const log = join(dataDir, 'output.log');
  const child = await launch(dataDir, log, settings);
  try {
    return {
      credentials: await demoCredentials(child, join(dataDir, 'credentials.json')),
      dataDir,
      async [Symbol.asyncDispose]() {
        await stop(child);
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await stop(child);
    const tail = (await readFile(log, 'utf8')).slice(-4_000);
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${tail}`);
  }
};

/** The product that `E2E_CREDENTIALS` names, else one of the test's own; settings are for one of its own. */
export const startProduct = async (settings?: Environment): Promise<Product> => {
  const running = process.env.E2E_CREDENTIALS;
  if (running && !settings) return attach(running);
  return timed('boot', () => startOwn(settings ?? {}));
};
