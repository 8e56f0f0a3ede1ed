import type { Adjacency } from './call-graph.ts';

/** Parent of a node that the search did not reach; an entry has -1. */
const UNREACHED = -2;

/** Result of a search from all entries. */
export interface Reach {
  /** Parent on the shortest path: the lowest-numbered caller one level above; -1 for an entry, -2 for the unreached. */
  readonly parents: Int32Array;
  /** Number of nodes that are reached. */
  readonly count: number;
}

/**
 * Breadth-first search from the entries, level by level, each level in ascending order: the first to claim a node
 * becomes its parent, so the result does not depend on the order of edges in the input (proofs 5.2).
 */
export const search = ({ offsets, callees }: Adjacency, entries: Uint32Array): Reach => {
  const size = offsets.length - 1;
  const parents = new Int32Array(size).fill(UNREACHED);
  const queue = new Uint32Array(size);
  let count = 0;
  for (const entry of entries) {
    if (parents[entry] !== UNREACHED) continue;
    parents[entry] = -1;
    queue[count++] = entry;
  }
  for (let next = 0; next < count; ) {
    const levelEnd = count;
    queue.subarray(next, levelEnd).sort();
    for (; next < levelEnd; next++) {
      const node = queue[next] ?? 0;
      const end = offsets[node + 1] ?? 0;
      for (let edge = offsets[node] ?? 0; edge < end; edge++) {
        const callee = callees[edge] ?? 0;
        if (parents[callee] !== UNREACHED) continue;
        parents[callee] = node;
        queue[count++] = callee;
      }
    }
  }
  return { parents, count };
};

export const isReached = ({ parents }: Reach, node: number): boolean => (parents[node] ?? UNREACHED) > UNREACHED;

/** Nodes from an entry to a reached node. */
export const pathTo = ({ parents }: Reach, node: number): number[] => {
  const path: number[] = [];
  for (let v = node; v >= 0; v = parents[v] ?? -1) path.push(v);
  return path.reverse();
};
