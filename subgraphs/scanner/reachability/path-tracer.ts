import { findEdge } from './adjacency.ts';
import { isReached, type Reach } from './breadth-first.ts';
import { type Adjacency, type CallGraph, STATIC } from './call-graph.ts';
import type { Cause, ParentChains } from './path.ts';
import { keyAt } from './symbol-table.ts';

/** One graph of a comparison, on the node numbers of the union of both. */
export interface ComparedGraph {
  readonly graph: CallGraph;
  /** Node of each of the graph's own symbols, by rank; ascending. */
  readonly nodes: Uint32Array;
  readonly edges: Adjacency;
  readonly reach: Reach;
}

/** Shortest path to a reached node. */
interface PathSummary {
  /** Position of the node in the parent chains. */
  readonly position: number;
  readonly hops: number;
  /** Index in CONFIDENCES of the weakest edge. */
  readonly confidence: number;
  /** First element that the other graph does not have; undefined where it has them all. */
  readonly cause: Cause | undefined;
}

/** Rank of a node in its own graph; -1 where the graph has no such symbol. */
const rankOf = ({ nodes }: ComparedGraph, node: number): number => {
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((nodes[middle] ?? 0) < node) low = middle + 1;
    else high = middle;
  }
  return nodes[low] === node ? low : -1;
};

export const keyOf = (side: ComparedGraph, node: number): string => keyAt(side.graph.symbols, rankOf(side, node));

const isEntry = ({ reach }: ComparedGraph, node: number): boolean => reach.parents[node] === -1;

/**
 * Traces paths in one graph of a comparison. Paths share their beginnings, so each node is summarised once, from the
 * summary of its parent.
 */
export const createPathTracer = (side: ComparedGraph, other: ComparedGraph, change: 'added' | 'removed') => {
  const symbols: string[] = [];
  const parents: number[] = [];
  const summaries = new Map<number, PathSummary>();
  const chains: ParentChains = { symbols, parents };

  const causeAt = (node: number, parent: number): Cause | undefined => {
    const symbol = keyOf(side, node);
    if (parent < 0) return isEntry(other, node) ? undefined : { kind: `entry_${change}`, symbol, caller: null };
    const caller = keyOf(side, parent);
    if (rankOf(other, node) < 0) return { kind: `symbol_${change}`, symbol, caller };
    return findEdge(other.edges, parent, node) < 0 ? { kind: `edge_${change}`, symbol, caller } : undefined;
  };

  const extend = (before: PathSummary | undefined, node: number): PathSummary => {
    const parent = side.reach.parents[node] ?? -1;
    const edge = parent < 0 ? STATIC : (side.edges.confidences[findEdge(side.edges, parent, node)] ?? 0);
    const summary = {
      position: symbols.push(keyOf(side, node)) - 1,
      hops: before === undefined ? 0 : before.hops + 1,
      confidence: Math.min(before?.confidence ?? STATIC, edge),
      cause: before?.cause ?? causeAt(node, parent),
    };
    parents.push(before?.position ?? -1);
    summaries.set(node, summary);
    return summary;
  };

  return {
    /** Symbols of all traced paths. */
    chains,
    /** @throws Error for a node that is not reached */
    trace(node: number): PathSummary {
      const untraced: number[] = [];
      let at = isReached(side.reach, node) ? node : -1;
      for (; at >= 0 && !summaries.has(at); at = side.reach.parents[at] ?? -1) untraced.push(at);
      let summary = summaries.get(at);
      for (const next of untraced.reverse()) summary = extend(summary, next);
      if (summary === undefined) throw new Error(`Node ${node} is not reached.`);
      return summary;
    },
  };
};

export type PathTracer = ReturnType<typeof createPathTracer>;
