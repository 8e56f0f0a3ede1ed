import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { SHARED } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import type { Lane } from '../fts/lane.ts';
import { fuse } from '../query/rank-fusion.ts';
import { isWanted, MAX_VECTORS as MOST_HITS, type VectorSearch, vectorLane } from '../query/vector.ts';
import type { SearchSettings } from '../shared/settings.ts';
import { createPopulation, type Population } from './population.ts';
import { type EvaluationCase, evaluate, questionsOf, type Verdict } from './quality-gate.ts';
import { startVectorThread, type VectorThread } from './thread.ts';

interface VectorsOptions extends Pick<Deps, 'database' | 'log'> {
  readonly corpus: Pick<Corpus, 'load'>;
  readonly lane: Pick<Lane, 'search'>;
  readonly settings: Pick<SearchSettings, 'searchEncoder' | 'searchOnnxModel' | 'searchVectors'>;
  readonly limitMs?: number;
}

interface VectorState {
  readonly isBuilt: boolean;
  readonly chunks: number;
  /** For the tenant's documents; undefined before the evaluation. */
  readonly verdict: Verdict | undefined;
}

/** The lane of vectors. Its searches never wait for anything to be built, and find nothing until the gate is open. */
interface VectorLane extends VectorSearch {
  state(tenant: TenantId): VectorState;
  /** Builds and evaluates a tenant's vectors; every search triggers it. */
  prepare(tenant: TenantId): Promise<void>;
  /** Opens the encoder where it is a model; ends the thread. For every copy that answers searches. */
  readonly companion: Worker;
}

const SEARCH_MS = 150;
const ENCODE_MS = 5_000;
const CHECK_MS = 2_000;
const GROWTH = 1.2;
const SLOTS = 10;

interface Judged {
  readonly verdict: Verdict;
  readonly generation: number;
  readonly chunks: number;
}

export const createVectors = (options: VectorsOptions): VectorLane => {
  const { database, corpus, lane, settings, log, limitMs = SEARCH_MS } = options;
  const isOff = settings.searchVectors === 'off';
  const judged = new Map<string, Judged>();
  const preparations = new Map<string, { readonly isUnderWay: boolean; readonly since: number }>();
  let running: { readonly thread: VectorThread; readonly population: Population } | undefined;

  let hasStopped = false;

  /** Starts the worker thread, unless it runs. Throws an Error after a stop, since nothing would end the thread. */
  const start = () => {
    if (running) return running;
    if (hasStopped) throw new Error('vectors have stopped');
    const encoder = settings.searchEncoder === 'onnx' ? 'onnx' : 'hash';
    const modelPath = settings.searchOnnxModel;
    const thread = startVectorThread({ encoder, modelPath, limitMs: ENCODE_MS }, log);
    running = { thread, population: createPopulation({ database }, thread) };
    return running;
  };

  const activeEncoder: VectorSearch['activeEncoder'] = () =>
    running?.thread.active() ?? (settings.searchEncoder === 'onnx' ? 'onnx-fallback' : 'hash');

  const chunksOf = (tenant: TenantId): number =>
    [SHARED, tenant].reduce((sum, owner) => sum + (running?.population.vectorsOf(owner)?.applied ?? 0), 0);

  const nearest: VectorSearch['search'] = async (tenant, text, limit, filters) => {
    const { thread, population } = start();
    const owners = filters?.isTenantScoped ? [tenant] : [tenant, SHARED];
    const answer = await thread.ask({ kind: 'search', owners, text, limit }, limitMs);
    population.onGeneration(answer.generation);
    return answer.hits;
  };

  /** Runs a question of the quality gate with and without vectors. */
  const tryOut = async (tenant: TenantId, expected: string, text: string): Promise<EvaluationCase> => {
    const answer = await lane.search({ tenant, text, limit: SLOTS });
    const byWords = fuse(answer, SLOTS);
    const results = byWords.map(({ entityKey }) => entityKey);
    if (!isWanted({ search: nearest, activeEncoder }, Math.max(0, ...byWords.map(({ coverage }) => coverage))))
      return { expected, words: results, both: results };
    const hits = await nearest(tenant, text, MOST_HITS);
    const numbers = hits.map(({ number }) => number);
    const vector = vectorLane(hits, await corpus.load(tenant, numbers), undefined);
    const both = vector ? fuse(answer, SLOTS, [vector]).map(({ entityKey }) => entityKey) : results;
    return { expected, words: results, both };
  };

  const evaluateTenant = async (tenant: TenantId, { population }: { readonly population: Population }) => {
    const [generation, chunks] = [population.generation(), chunksOf(tenant)];
    const last = judged.get(tenant);
    if (last && last.generation === generation && chunks < last.chunks * GROWTH) return;
    const cases: EvaluationCase[] = [];
    for (const owner of [SHARED, tenant])
      for (const sample of population.vectorsOf(owner)?.samples.list() ?? [])
        for (const question of questionsOf(sample)) cases.push(await tryOut(tenant, sample.entityKey, question));
    const verdict = evaluate(cases);
    judged.set(tenant, { verdict, generation, chunks });
    log.info({ tenant, encoder: activeEncoder(), ...verdict }, 'search.vectors: judged');
  };

  const prepare = async (tenant: TenantId): Promise<void> => {
    const { thread, population } = start();
    await thread.ready;
    if (thread.active() === 'hash-fallback') return;
    await population.update(SHARED);
    await population.update(tenant);
    await evaluateTenant(tenant, { population });
  };

  const tryPreparing = async (tenant: TenantId): Promise<void> => {
    try {
      await prepare(tenant);
    } catch (error) {
      if (!hasStopped) log.warn({ err: error, tenant }, 'search.vectors: not built');
    }
    preparations.set(tenant, { isUnderWay: false, since: performance.now() });
  };

  /** Starts a preparation in the background, at most one at a time and not too often. */
  const scheduleTry = (tenant: TenantId): void => {
    const last = preparations.get(tenant);
    if (last?.isUnderWay || (last && performance.now() - last.since < CHECK_MS)) return;
    preparations.set(tenant, { isUnderWay: true, since: performance.now() });
    void tryPreparing(tenant);
  };

  const isOpen = (tenant: TenantId): boolean => {
    const last = judged.get(tenant);
    return last?.verdict.isOpen === true && last.generation === running?.population.generation();
  };

  return {
    activeEncoder,
    prepare,
    async search(tenant, text, limit, filters) {
      if (isOff || activeEncoder() === 'hash-fallback') return [];
      scheduleTry(tenant);
      if (!isOpen(tenant)) return [];
      try {
        return await nearest(tenant, text, limit, filters);
      } catch (error) {
        log.debug({ err: error, tenant }, 'search.vectors: words alone answer');
        return [];
      }
    },
    state: (tenant) => ({
      isBuilt: running?.population.vectorsOf(tenant)?.isBuilt ?? false,
      chunks: chunksOf(tenant),
      verdict: judged.get(tenant)?.verdict,
    }),
    companion: {
      name: 'search.vectors',
      start: () => {
        hasStopped = false;
        if (!isOff && settings.searchEncoder === 'onnx') start();
        return {
          async [Symbol.asyncDispose]() {
            const previous = running;
            hasStopped = true;
            running = undefined;
            await previous?.thread[Symbol.asyncDispose]();
          },
        };
      },
    },
  };
};
