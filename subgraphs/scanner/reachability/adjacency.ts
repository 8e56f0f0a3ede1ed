import type { Adjacency } from './call-graph.ts';

/** Edges as lists: edge i leads from `callers[i]` to `callees[i]`. */
interface EdgeList {
  readonly callers: Uint32Array;
  readonly callees: Uint32Array;
  readonly confidences: Uint8Array;
}

/** First position of each key's bucket, after a counting sort of the keys 0 … size - 1; `size + 1` numbers. */
const bucketOffsets = (size: number, keys: Uint32Array): Uint32Array => {
  const offsets = new Uint32Array(size + 1);
  for (const key of keys) offsets[key + 1] = (offsets[key + 1] ?? 0) + 1;
  for (let key = 0; key < size; key++) offsets[key + 1] = (offsets[key + 1] ?? 0) + (offsets[key] ?? 0);
  return offsets;
};

/** Positions of the edges in ascending order of `keys`, edges with equal keys in the given order. */
const bucketSort = (size: number, keys: Uint32Array, order: Uint32Array | undefined): Uint32Array => {
  const next = bucketOffsets(size, keys);
  const sorted = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    const edge = order === undefined ? i : (order[i] ?? 0);
    const key = keys[edge] ?? 0;
    const position = next[key] ?? 0;
    sorted[position] = edge;
    next[key] = position + 1;
  }
  return sorted;
};

/**
 * Rows of a graph from edges in any order. Bucketing by callee, then stably by caller, sorts rows in linear time.
 * Equal edges count once, with the greatest confidence of them.
 */
export const buildAdjacency = (size: number, { callers, callees, confidences }: EdgeList): Adjacency => {
  const order = bucketSort(size, callers, bucketSort(size, callees, undefined));
  const offsets = new Uint32Array(size + 1);
  const rows = new Uint32Array(order.length);
  const strengths = new Uint8Array(order.length);
  let [count, lastCaller, lastCallee] = [0, -1, -1];
  for (const edge of order) {
    const [caller, callee, confidence] = [callers[edge] ?? 0, callees[edge] ?? 0, confidences[edge] ?? 0];
    if (caller === lastCaller && callee === lastCallee) {
      strengths[count - 1] = Math.max(strengths[count - 1] ?? 0, confidence);
      continue;
    }
    [lastCaller, lastCallee] = [caller, callee];
    rows[count] = callee;
    strengths[count++] = confidence;
    offsets[caller + 1] = count;
  }
  // A caller without edges ends where the caller before it ends.
  for (let v = 1; v <= size; v++) offsets[v] = Math.max(offsets[v] ?? 0, offsets[v - 1] ?? 0);
  return { offsets, callees: rows.slice(0, count), confidences: strengths.slice(0, count) };
};

/** The same graph on other node numbers: `ranks` is ascending, so that rows stay sorted. */
export const renumber = ({ offsets, callees, confidences }: Adjacency, ranks: Uint32Array, size: number): Adjacency => {
  const moved = new Uint32Array(size + 1);
  for (let v = 0; v < ranks.length; v++) moved[(ranks[v] ?? 0) + 1] = offsets[v + 1] ?? 0;
  for (let v = 1; v <= size; v++) moved[v] = Math.max(moved[v] ?? 0, moved[v - 1] ?? 0);
  const targets = new Uint32Array(callees.length);
  for (let edge = 0; edge < callees.length; edge++) targets[edge] = ranks[callees[edge] ?? 0] ?? 0;
  return { offsets: moved, callees: targets, confidences };
};

/** Position of the edge from caller to callee; -1 where there is none. */
export const findEdge = ({ offsets, callees }: Adjacency, caller: number, callee: number): number => {
  const end = offsets[caller + 1] ?? 0;
  let [low, high] = [offsets[caller] ?? 0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((callees[middle] ?? 0) < callee) low = middle + 1;
    else high = middle;
  }
  return low < end && callees[low] === callee ? low : -1;
};
