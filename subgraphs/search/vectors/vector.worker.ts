import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Type from 'typebox';
import Value from 'typebox/value';
import { createFallbackEncoder, type FallbackEncoder } from './encoder-fallback.ts';
import type { HnswIndex } from './hnsw-index.ts';
import { READY, type VectorAnswer, type VectorRequest } from './messages.ts';

/** The thread of vectors: encodes, indexes and searches, so that no request waits for any of it. */

const setup = Type.Object({
  encoder: Type.Union([Type.Literal('hash'), Type.Literal('onnx')]),
  modelPath: Type.Optional(Type.String()),
  limitMs: Type.Number(),
});

const BATCH = 16;

type CreateNearest = (dimensions: number) => HnswIndex;

/** The index is native code: where it cannot be loaded, there is nothing to search. */
const loadNearest = async (): Promise<CreateNearest | undefined> => {
  try {
    return (await import('./hnsw-index.ts')).createHnswIndex;
  } catch {
    return undefined;
  }
};

const createIndexes = (encoding: FallbackEncoder, createNearest: CreateNearest | undefined) => {
  const indexes = new Map<string, HnswIndex>();
  let generation = encoding.generation();

  /** Vectors of another encoder are of no use. */
  const discardOutdated = (): void => {
    if (generation === encoding.generation()) return;
    generation = encoding.generation();
    indexes.clear();
  };
  const indexOf = (owner: string): HnswIndex | undefined => {
    const index = indexes.get(owner) ?? createNearest?.(encoding.dimensions());
    if (index) indexes.set(owner, index);
    return index;
  };

  /** Applies a batch of vector changes; false if the encoder failed. */
  const apply = async ({ owner, put, remove }: Extract<VectorRequest, { kind: 'apply' }>): Promise<boolean> => {
    for (const number of remove) indexes.get(owner)?.remove(number);
    for (let index = 0; index < put.length; index += BATCH) {
      const some = put.slice(index, index + BATCH);
      const before = encoding.generation();
      const vectors = await encoding.encode(some.map(({ text }) => text));
      discardOutdated();
      // The requester sees the new generation and begins again.
      if (before !== encoding.generation()) return true;
      if (!vectors) return false;
      some.forEach(({ number }, i) => {
        const vector = vectors[i];
        if (vector) indexOf(owner)?.put(number, vector);
      });
      // Searches come in between.
      await nextTurn();
    }
    return true;
  };

  const search = async ({ owners, text, limit }: Extract<VectorRequest, { kind: 'search' }>) => {
    const [vector] = (await encoding.encode([text])) ?? [];
    discardOutdated();
    if (!vector) return [];
    return owners
      .flatMap((owner) => indexes.get(owner)?.search(vector, limit) ?? [])
      .sort((a, b) => b.score - a.score || a.number - b.number)
      .slice(0, limit);
  };

  return {
    apply,
    search,
    forget: (owner: string): void => void indexes.delete(owner),
    owned: (owner: string): number => indexes.get(owner)?.size() ?? 0,
    size: () => [...indexes.values()].reduce((sum, index) => sum + index.size(), 0),
  };
};

const open = async () => {
  const parameters = Value.Parse(setup, workerData);
  const [encoding, createNearest] = await Promise.all([createFallbackEncoder(parameters), loadNearest()]);
  const indexes = createIndexes(encoding, createNearest);

  const answer = (id: number, finished: Partial<Pick<VectorAnswer, 'hits' | 'owned' | 'hasFailed'>> = {}): void =>
    parentPort?.postMessage({
      id,
      active: createNearest ? encoding.active() : 'hash-fallback',
      generation: encoding.generation(),
      reason: createNearest ? encoding.reason() : 'the package usearch cannot be loaded',
      size: indexes.size(),
      owned: 0,
      hasFailed: false,
      hits: [],
      ...finished,
    } satisfies VectorAnswer);

  answer(READY);
  return { shelves: indexes, answer };
};

const opened = open();

parentPort?.on('message', async (request: VectorRequest) => {
  // In a worker this ends the thread alone.
  if (request.kind === 'stop') process.exit();
  const { shelves: indexes, answer } = await opened;
  if (request.kind === 'search') return answer(request.id, { hits: await indexes.search(request) });
  if (request.kind === 'apply')
    return answer(request.id, { hasFailed: !(await indexes.apply(request)), owned: indexes.owned(request.owner) });
  indexes.forget(request.owner);
  answer(request.id);
});

await opened;
