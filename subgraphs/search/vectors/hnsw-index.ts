import { Index, MetricKind, ScalarKind } from 'usearch';

const CONNECTIVITY = 16;
const EXPANSION = 64;
const ONE_THREAD = 1;

/** Creates the vector index of one owner: HNSW over bytes, some 450 bytes a vector of 256 dimensions. */
export const createHnswIndex = (dimensions: number) => {
  const index = new Index({
    dimensions,
    metric: MetricKind.Cos,
    quantization: ScalarKind.I8,
    connectivity: CONNECTIVITY,
    expansion_add: EXPANSION,
    expansion_search: EXPANSION,
    multi: false,
  });
  const remove = (number: number): void => {
    if (index.contains(BigInt(number))) index.remove(BigInt(number));
  };
  return {
    put(number: number, vector: Float32Array): void {
      remove(number);
      // A text without features is near to nothing.
      if (vector.some((value) => value !== 0)) index.add(BigInt(number), vector, ONE_THREAD);
    },
    remove,
    /** The nearest, the nearest first, with their cosine. */
    search(vector: Float32Array, limit: number) {
      const most = Math.min(limit, index.size());
      if (most === 0 || !vector.some((value) => value !== 0)) return [];
      const { keys, distances } = index.search(vector, most, ONE_THREAD);
      return Array.from(keys, (key, index) => ({ number: Number(key), score: 1 - (distances[index] ?? 1) }));
    },
    size: (): number => index.size(),
  };
};

export type HnswIndex = ReturnType<typeof createHnswIndex>;
