import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { Pool } from 'undici';
import { visit } from './bench-client.ts';
import { benchDirectory } from './bench-host.ts';
import { treeOf } from './processes.ts';
import { type Credentials, createHome, startProduct } from './product-process.ts';
import { type Candidate, type Comparison, compare } from './rounds.ts';

const CALLERS = 16;

const startBaseline = async (settings: object) => {
  const program = join(import.meta.dirname, 'bare-read.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`bare-read.ts ended with ${code}`))),
  ]);
  return {
    pid: child.pid ?? 0,
    origin: String(line).trim(),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
};

const reader = (origin: string, path: string, token: string, processes: readonly number[]): Candidate => {
  const pool = new Pool(origin, { connections: CALLERS, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}` };
  return {
    processes,
    async once() {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${origin}${path} answered ${statusCode}: ${text}`);
    },
  };
};

/** Read of the product: its REST path and the operation behind it. */
interface RestRead {
  readonly path: string;
  readonly operation: string;
  readonly input: object;
}

interface RestComparison {
  /** Comparison with PostgreSQL's share of the processor time. */
  readonly result: Comparison;
  /** Comparison of the servers only. */
  readonly alone: Comparison;
  /** Sends one request to the product. */
  once(): Promise<unknown>;
}

const OPTIONS = { callers: CALLERS, rounds: 30, roundMs: 250 };

/** Starts the product with the demo over its own PostgreSQL, and compares its reads with bare routes. */
export const restBench = async () => {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await benchDirectory());
  const dataDirectory = join(directory.path, 'database');
  await mkdir(dataDirectory);
  const postgres = await startPostgres({ dataDir: dataDirectory });
  stack.defer(() => postgres.stop());
  const databaseUrl = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(postgres.connection.host)}`;
  const home = await createHome(directory.path);
  const product = stack.use(await startProduct({ ...home, env: { ...home.env, DATABASE_URL: databaseUrl } }));
  const credentials: Credentials = await product.waitForCredentials();
  const { token, leave } = await visit(credentials);
  await leave();
  const server = (await treeOf(product.pid)).filter(({ command }) => command.includes('gateway/main.ts'));
  const serverPids = server.map(({ pid }) => pid);
  /** Process ids of PostgreSQL's server and its backends. */
  const databasePids = async (): Promise<number[]> =>
    (await treeOf(process.pid))
      .filter(({ command }) => /^(postgres: |\S+\/bin\/postgres )/.test(command))
      .map(({ pid }) => pid);

  const resources = stack.move();
  return {
    ids: credentials.ids,
    databaseUrl,
    async compare(read: RestRead): Promise<RestComparison> {
      const { baseUrl, authUrl } = credentials;
      await using peer = await startBaseline({ databaseUrl, authUrl, audience: 'landfall', tenant: 'acme', ...read });
      const own = reader(baseUrl, read.path, token, serverPids);
      const limit = reader(peer.origin, read.path, token, [peer.pid]);
      // Every connection is opened once before the processes are counted.
      await compare(own, limit, { ...OPTIONS, rounds: 1 });
      const shared = await databasePids();
      const result = await compare(
        { ...own, processes: [...serverPids, ...shared] },
        { ...limit, processes: [peer.pid, ...shared] },
        OPTIONS,
      );
      return { result, alone: await compare(own, limit, OPTIONS), once: own.once };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
