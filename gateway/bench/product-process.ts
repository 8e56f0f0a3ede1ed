import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';

const ROOT = join(import.meta.dirname, '../..');
/** Deadline of a start in milliseconds, after which it is broken. */
const TIMEOUT_MS = 240_000;
const POLL_MS = 20;

const credentials = Type.Object({
  baseUrl: Type.String(),
  authUrl: Type.String(),
  clients: Type.Array(Type.Object({ name: Type.String(), clientId: Type.String(), clientSecret: Type.String() })),
  ids: Type.Record(Type.String(), Type.String()),
});

/** Fields of the demo's credentials that benches use. */
export type Credentials = Static<typeof credentials>;

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === 'object' && address ? address.port : 0);
};

/** Directory and ports in which the product can be started repeatedly. */
interface Home {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly env: NodeJS.ProcessEnv;
}

export const createHome = async (dataDir: string): Promise<Home> => {
  const [web = '', auth = '', agents = '', admin = ''] = await Promise.all([1, 2, 3, 4].map(freePort));
  return {
    dataDir,
    baseUrl: `http://127.0.0.1:${web}`,
    env: {
      ...process.env,
      LANDFALL_DATA_DIR: dataDir,
      LANDFALL_PRIVATE_REGISTRIES: 'true',
      // The cost budget of a caller does not apply, so that the figures measure the work.
      LANDFALL_COST_PER_SECOND: '1000000000',
      LANDFALL_COST_BURST: '1000000000',
      LANDFALL_PORT: web,
      LANDFALL_AUTH_PORT: auth,
      LANDFALL_AGENT_PORT: agents,
      LANDFALL_ADMIN_PORT: admin,
    },
  };
};

/** Running product. */
interface Product extends AsyncDisposable {
  readonly pid: number;
  /** Milliseconds from the command to the first ready answer of `/readyz`. */
  readonly readyMs: number;
  /** Waits for the end of the demo. */
  waitForCredentials(): Promise<Credentials>;
  stop(): Promise<void>;
}

const isReady = (baseUrl: string): Promise<boolean> =>
  fetch(`${baseUrl}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );

const look = async <T>(child: ChildProcess, name: string, found: () => Promise<T | undefined>): Promise<T> => {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; ) {
    const pids = await found();
    if (pids !== undefined) return pids;
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    await pause(POLL_MS);
  }
  throw new Error(`${name} took longer than ${TIMEOUT_MS / 1_000} s`);
};

const outputOf = (dataDir: string): Promise<string> => readFile(join(dataDir, 'output.log'), 'utf8');

const readCredentials = async (dataDir: string): Promise<Credentials | undefined> => {
  const text = await readFile(join(dataDir, 'credentials.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return Parse(credentials, JSON.parse(text));
  const output = await outputOf(dataDir);
  if (output.includes('The demo stopped')) throw new Error(output.slice(-4_000));
  return undefined;
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
};

/** Runs `npm start` without npm in a checkout, and waits until it is ready. */
export const startProduct = async (
  { dataDir, baseUrl, env }: Home,
  checkout = ROOT,
  args: readonly string[] = [],
): Promise<Product> => {
  const output = await open(join(dataDir, 'output.log'), 'a');
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['boot.mjs', 'start', ...args], {
    cwd: checkout,
    stdio: ['ignore', output.fd, output.fd],
    env,
  });
  await output.close();
  try {
    await look(child, 'the start', async () => ((await isReady(baseUrl)) ? true : undefined));
  } catch (error) {
    await end(child);
    throw new Error((await outputOf(dataDir)).slice(-4_000), { cause: error });
  }
  return {
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedMs,
    waitForCredentials: () => look(child, 'the demo', () => readCredentials(dataDir)),
    stop: () => end(child),
    [Symbol.asyncDispose]: () => end(child),
  };
};
