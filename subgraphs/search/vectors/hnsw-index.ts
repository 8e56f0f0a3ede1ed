import { Index, MetricKind, ScalarKind } from 'usearch';

/** The vectors of one owner, for finding the nearest. */
export interface HnswIndex {
  put(number: number, vector: Float32Array): void;
  remove(number: number): void;
  /** The nearest, the nearest first, with their cosine. */
  search(vector: Float32Array, limit: number): { readonly number: number; readonly score: number }[];
  size(): number;
}

const CONNECTIVITY = 16;
const EXPANSION = 64;
const ONE_THREAD = 1;

/** HNSW over bytes: some 450 bytes a vector of 256 dimensions. */
export const createHnswIndex = (dimensions: number): HnswIndex => {
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
    put(number, vector) {
      remove(number);
      // A text that says nothing is near to nothing.
      if (vector.some((value) => value !== 0)) index.add(BigInt(number), vector, ONE_THREAD);
    },
    remove,
    search(vector, limit) {
      const most = Math.min(limit, index.size());
      if (most === 0 || !vector.some((value) => value !== 0)) return [];
      const { keys, distances } = index.search(vector, most, ONE_THREAD);
      return Array.from(keys, (key, at) => ({ number: Number(key), score: 1 - (distances[at] ?? 1) }));
    },
    size: () => index.size(),
  };
};
