import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { migrate } from '@landfall/kernel/db/migrate';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { migrationDirs } from '@landfall/kernel/testing/cluster';
import { createCorpus, SHARED } from '@landfall/search/testing/parts';
import { createDependencies } from '../process/dependencies.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { registerDirectly } from './empty-product.ts';
import { cpuTimeOf, treeOf } from './processes.ts';
import { createHome, startProduct } from './product-process.ts';
import { CORPUS_SEED } from './search-corpus.ts';
import type { BenchDocument } from './search-documents.ts';

/** Product with a corpus, in its own process, which can be restarted. */
interface SearchProduct extends AsyncDisposable {
  readonly dataDir: string;
  readonly load: { readonly seconds: number; readonly cpuSeconds: number } | undefined;
  start(): Promise<RunningSearch>;
}

export interface RunningSearch extends AsyncDisposable {
  readonly baseUrl: string;
  readonly authorization: string;
  /** Milliseconds from the command to the first ready answer of `/readyz`. */
  readonly readyMs: number;
  serverProcesses(): Promise<number[]>;
  databaseProcesses(): Promise<number[]>;
}

/** Number of chunks in one call of the corpus, which writes them in smaller transactions. */
const BATCH_SIZE = 4_000;

const SEARCHER = {
  grants: ['client_credentials'],
  scopes: ['advisory-ai:operate', 'advisory-ai:admin', 'search:synthesize'],
};

/**
 * Directory of the loaded database, reused by later runs with the same contents, since loading a million chunks takes
 * longer than the measurements.
 */
const directoryOf = async (chunks: number): Promise<string> => {
  const mark = createHash('sha256').update(`${CORPUS_SEED} ${chunks}`).digest('hex').slice(0, 12);
  const path = join(tmpdir(), `landfall-bench-search-${mark}`);
  await mkdir(path, { recursive: true });
  // As root, PostgreSQL's own user may enter the directory.
  await chmod(path, 0o755);
  return path;
};

const batchesOf = function* (documents: Iterable<BenchDocument>): Generator<BenchDocument[]> {
  let batch: BenchDocument[] = [];
  for (const document of documents) {
    batch.push(document);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

const postgresProcesses = async (): Promise<number[]> =>
  (await treeOf(process.pid))
    .filter(({ command }) => /^(postgres: |\S+\/bin\/postgres )/.test(command))
    .map(({ pid }) => pid);

/** Loads the documents through the product's corpus, visible to every tenant. */
const fill = async (env: NodeJS.ProcessEnv, documents: () => Iterable<BenchDocument>) => {
  await using host = await createDependencies(loadSettings(gatewaySettings, { env }), silentLog);
  await migrate(host.migrating, await migrationDirs());
  await host.startEgress();
  const corpus = createCorpus(host.deps);
  const startedMs = performance.now();
  const before = await cpuTimeOf(await postgresProcesses());
  let count = 0;
  for (const batch of batchesOf(documents())) {
    await corpus.put(SHARED, batch);
    count += batch.length;
    if (count % 100_000 < BATCH_SIZE) process.stderr.write(`search: ${count} chunks are in the database\n`);
  }
  return {
    seconds: (performance.now() - startedMs) / 1_000,
    cpuSeconds: ((await cpuTimeOf(await postgresProcesses())) - before) / 1_000,
  };
};

/** Root key of the reused database's secrets. */
const secretOf = async (keyPath: string): Promise<string> => {
  const path = join(keyPath, 'secret');
  const cached = await readFile(path, 'utf8').catch(() => undefined);
  if (cached !== undefined) return cached;
  const created = randomBytes(32).toString('base64');
  await writeFile(path, created, { mode: 0o600 });
  return created;
};

/** Requests a token for a client of tenant `acme` that may search. */
const tokenAt = async (authUrl: string, env: NodeJS.ProcessEnv): Promise<string> => {
  // The database is reused between runs, and a client's secret is shown only once.
  const { client, secret } = await registerDirectly(env, { ...SEARCHER, name: `searcher ${randomUUID()}` });
  const granted = await fetch(`${authUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const answer: unknown = await granted.json();
  if (typeof answer === 'object' && answer !== null && 'access_token' in answer) return String(answer.access_token);
  throw new Error(`no token: ${JSON.stringify(answer)}`);
};

export const createSearchProduct = async (
  chunks: number,
  documents: () => Iterable<BenchDocument>,
): Promise<SearchProduct> => {
  const path = await directoryOf(chunks);
  const dataDir = join(path, 'product');
  await mkdir(dataDir, { recursive: true });
  const postgres = await startPostgres({ dataDir: join(path, 'database') });
  const { host, user, database } = postgres.connection;
  const home = await createHome(dataDir);
  const env: NodeJS.ProcessEnv = {
    ...home.env,
    DATABASE_URL: `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    LANDFALL_SECRET_KEY: await secretOf(path),
  };
  const full = join(path, 'full');
  const isFull = await readFile(full).then(
    () => true,
    () => false,
  );
  const load = isFull ? undefined : await fill(env, documents);
  await writeFile(full, '');
  return {
    dataDir,
    load,
    async start() {
      const product = await startProduct({ ...home, env }, undefined, ['--no-demo']);
      const authUrl = `http://127.0.0.1:${env.LANDFALL_AUTH_PORT}`;
      return {
        baseUrl: home.baseUrl,
        authorization: `Bearer ${await tokenAt(authUrl, env)}`,
        readyMs: product.readyMs,
        serverProcesses: async () =>
          (await treeOf(product.pid))
            .filter(({ command }) => command.includes('gateway/main.ts'))
            .map(({ pid }) => pid),
        databaseProcesses: postgresProcesses,
        [Symbol.asyncDispose]: () => product.stop(),
      };
    },
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
};
