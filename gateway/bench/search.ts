// Relevance and cost of the search index without the product around it: relevance of our index and of others on the
// same questions, and the cost of building an index. Real documents are read from LANDFALL_BENCH_DATA, or from the
// shared data beside the checkout; a second corpus is generated from them, with questions of its own.
import { createReport, type Figure } from './figure.ts';
import { decilesOf, generateDocuments } from './search-corpus.ts';
import { type BenchDocument, findRealFile, readDocuments } from './search-documents.ts';
import { type Judgement, judge, upperBoundOf } from './search-judgement.ts';
import { createIndexLane, landfallEngine, mergedLane } from './search-landfall.ts';
import { buildMiniSearch, buildPlainMiniSearch, type Candidate, fts5Of, miniSearchOf } from './search-peers.ts';
import { type BenchQuery, drawQueries, QUERY_CLASSES, QUERY_SEED } from './search-queries.ts';
import { median } from './statistics.ts';

const QUERIES_PER_CLASS = { real: 600, generated: 200 };
const BUILDS = 3;
const GOALS: Readonly<Record<string, Figure['goal']>> = {
  total: { atLeast: 0.8 },
  alias: { atLeast: 1 },
  typo: { atLeast: 0.85 },
};

const { tell } = createReport('search');

/** Processor time of this process and its threads, in seconds. */
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const timed = async (build: () => Promise<unknown> | unknown): Promise<number> => {
  const startedMs = cpuSeconds();
  await build();
  return cpuSeconds() - startedMs;
};

/**
 * Measures the build time of all contenders in alternation. The product's begins with starting its threads and ends
 * with the last merge.
 */
const compareBuilds = async (location: string, documents: readonly BenchDocument[]): Promise<void> => {
  const builds = {
    ours: async () => {
      await using lane = await createIndexLane(documents);
      await mergedLane(lane);
    },
    judged: () => buildMiniSearch(documents),
    plain: () => buildPlainMiniSearch(documents),
  };
  const cpuMs: Record<keyof typeof builds, number[]> = { ours: [], judged: [], plain: [] };
  for (let round = 0; round < BUILDS; round++) {
    cpuMs.ours.push(await timed(builds.ours));
    cpuMs.judged.push(await timed(builds.judged));
    cpuMs.plain.push(await timed(builds.plain));
  }
  const [own, judged, plain] = [median(cpuMs.ours), median(cpuMs.judged), median(cpuMs.plain)];
  const unit = 'documents per CPU second';
  tell(`index build, ${location}`, documents.length / own, unit, { atLeast: 30_000 });
  tell(`index build, MiniSearch as it is judged, ${location}`, documents.length / judged, unit);
  tell(`index build, MiniSearch as it comes, ${location}`, documents.length / plain, unit);
  tell(`index build, of MiniSearch as it is judged, ${location}`, judged / own, 'ratio', { atLeast: 3 });
  tell(`index build, of MiniSearch as it comes, ${location}`, plain / own, 'ratio');
};

const reportJudgement = (location: string, name: string, found: ReadonlyMap<string, Judgement>): void => {
  const goalOf = (kind: string): Figure['goal'] =>
    name === 'ours' && location.endsWith('held out') ? GOALS[kind] : undefined;
  for (const [kind, { mrr }] of found) tell(`MRR@10 ${kind}, ${name}, ${location}`, mrr, 'mean', goalOf(kind));
  const total = found.get('total');
  if (!total) return;
  tell(`nDCG@10, ${name}, ${location}`, total.ndcg, 'mean');
  tell(`recall@10, ${name}, ${location}`, total.recall, 'share');
};

const reportQuestionSet = async (location: string, queries: readonly BenchQuery[], engines: readonly Candidate[]) => {
  tell(`MRR that words alone allow, ${location}`, upperBoundOf(queries), 'mean');
  const totals = new Map<string, number>();
  for (const engine of engines) {
    const found = await judge(engine, queries);
    reportJudgement(location, engine.name, found);
    totals.set(engine.name, found.get('total')?.mrr ?? 0);
  }
  const best = Math.max(...[...totals].flatMap(([name, mrr]) => (name === 'ours' ? [] : [mrr])));
  tell(`MRR@10 of ours, of the best other, ${location}`, (totals.get('ours') ?? 0) / best, 'ratio', { atLeast: 1 });
};

const reportRelevance = async (
  corpus: string,
  documents: readonly BenchDocument[],
  queries: readonly BenchQuery[],
): Promise<void> => {
  await using lane = await createIndexLane(documents);
  using fts5 = fts5Of(documents);
  const engines = [landfallEngine(lane), miniSearchOf(documents), fts5];
  const [tuning, heldOut] = [queries.filter((query) => !query.isHeldOut), queries.filter((query) => query.isHeldOut)];
  await reportQuestionSet(`${corpus}, tuned on`, tuning, engines);
  await reportQuestionSet(`${corpus}, held out`, heldOut, engines);
};

const path = await findRealFile();
if (path === undefined) {
  process.stderr.write(
    'search: no real advisories here (LANDFALL_BENCH_DATA); relevance and building are not measured\n',
  );
} else {
  const real = await readDocuments(path);
  const generated = [...generateDocuments(real, real.length)];
  for (const [at, ratio] of decilesOf(real, generated).entries()) {
    tell(`frequency of generated words, decile ${at + 1}`, ratio, 'of real', { atLeast: 0.9, atMost: 1.1 });
  }
  await compareBuilds('real', real);
  await compareBuilds('generated', generated);
  process.stderr.write(`search: seed ${QUERY_SEED}, classes ${QUERY_CLASSES.join(', ')}\n`);
  await reportRelevance('real', real, drawQueries(real, QUERIES_PER_CLASS.real));
  await reportRelevance('generated', generated, drawQueries(generated, QUERIES_PER_CLASS.generated));
}
