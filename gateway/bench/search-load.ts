// Search in the running product, over a generated corpus of LANDFALL_BENCH_SEARCH_CHUNKS chunks (a million) that is written
// into PostgreSQL by the product's own corpus and followed by its own feed: what a query takes from HTTP to bytes, what a
// written answer takes, what a restart takes, and how much memory a chunk takes. The database is kept in the directory for
// temporary files between runs, since filling it takes the longest.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createReport } from './figure.ts';
import { cpuTimeOf } from './processes.ts';
import { clientsOf } from './search-clients.ts';
import { generateDocuments } from './search-corpus.ts';
import { type BenchDocument, findRealFile, readDocuments } from './search-documents.ts';
import { createSearchProduct, type RunningSearch } from './search-product.ts';
import { drawQueries } from './search-queries.ts';

const CHUNKS = Number(process.env.LANDFALL_BENCH_SEARCH_CHUNKS ?? 1_000_000);
/** Number of documents from which queries are drawn; searches cover all. */
const SAMPLE = 50_000;
const PER_CLASS = 400;
const WARMING = 500;
const SYNTHESES = 300;

const { tell } = createReport('search');

const opened = Type.Object({
  openMs: Type.Number(),
  cpuMs: Type.Number(),
  chunks: Type.Number(),
  bytes: Type.Number(),
});

/** Longest query in characters (spec 7.3); a few titles are longer. */
const MAX_QUERY_LENGTH = 1_000;

/** Queries with their classes alternating, so that every part of the list is a fair sample. */
const textsOf = (documents: readonly BenchDocument[]): string[] => {
  const queries = drawQueries(documents, PER_CLASS, 'landfall-search-load');
  return Array.from(
    { length: queries.length },
    (_, index) => queries[(index % 5) * PER_CLASS + Math.floor(index / 5)]?.text.slice(0, MAX_QUERY_LENGTH) ?? '',
  );
};

const reportLatencies = async (
  running: RunningSearch,
  texts: readonly string[],
  connections: number,
): Promise<void> => {
  await using clients = await clientsOf(running.baseUrl, running.authorization, connections);
  const [servers, databases] = [await running.serverProcesses(), await running.databaseProcesses()];
  const [server, database] = [await cpuTimeOf(servers), await cpuTimeOf(databases)];
  const { p50, p99, most } = await clients.queries(texts);
  const label = connections === 1 ? '1 client' : `${connections} clients`;
  tell(`query from HTTP to bytes, P50, ${label}`, p50, 'ms', { atMost: 8 });
  tell(`query from HTTP to bytes, P99, ${label}`, p99, 'ms', { atMost: 50 });
  tell(`query from HTTP to bytes, slowest, ${label}`, most, 'ms');
  tell(`server for a query, ${label}`, ((await cpuTimeOf(servers)) - server) / texts.length, 'CPU ms');
  tell(`PostgreSQL for a query, ${label}`, ((await cpuTimeOf(databases)) - database) / texts.length, 'CPU ms');
};

const measureRunning = async (running: RunningSearch, texts: readonly string[]): Promise<void> => {
  const startedMs = performance.now();
  await using clients = await clientsOf(running.baseUrl, running.authorization, 1);
  await clients.warm();
  tell('from readiness to the index', (performance.now() - startedMs) / 1_000, 's');
  await clients.queries(texts.slice(0, WARMING));
  await reportLatencies(running, texts, 1);
  await reportLatencies(running, texts, 8);
  const { p50, p99 } = await clients.syntheses(texts.slice(0, SYNTHESES));
  tell('deterministic answer, P50', p50, 'ms', { atMost: 10 });
  tell('deterministic answer, P99', p99, 'ms');
};

const path = await findRealFile();
if (path === undefined) {
  process.stderr.write(
    'search: no real advisories here (LANDFALL_BENCH_DATA) to generate a corpus after; not measured\n',
  );
} else {
  const real = await readDocuments(path);
  const sample = [...generateDocuments(real, Math.min(SAMPLE, CHUNKS))];
  const texts = textsOf(sample);
  await using product = await createSearchProduct(CHUNKS, () => generateDocuments(real, CHUNKS));
  tell('chunks', CHUNKS, 'chunks');
  if (product.load) {
    tell('load through the corpus', CHUNKS / product.load.seconds, 'chunks a second');
    tell('load through the corpus, PostgreSQL', product.load.cpuSeconds, 'CPU s');
  }
  {
    await using running = await product.start();
    await measureRunning(running, texts);
  }
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'search-open.ts'),
    join(product.dataDir, 'search'),
    'acme',
    ...texts.slice(0, WARMING),
  ]);
  const snapshot = Parse(opened, JSON.parse(stdout));
  tell('chunks in the snapshot', snapshot.chunks, 'chunks');
  tell('snapshot open', snapshot.openMs, 'ms', { atMost: 2_000 });
  tell('snapshot open', snapshot.cpuMs, 'CPU ms');
  tell('resident a chunk', snapshot.bytes / snapshot.chunks, 'bytes', { atMost: 2_500 });
  await using repeated = await product.start();
  tell('restart until ready', repeated.readyMs, 'ms');
}
