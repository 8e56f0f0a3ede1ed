import type { Digest } from '@landfall/kernel/crypto/digest';
import { renumber } from './adjacency.ts';
import { isReached, search } from './breadth-first.ts';
import {
  CONFIDENCES,
  type Confidence,
  type Coverage,
  graphHash,
  isWholeCoverage,
  type SinkKind,
} from './call-graph.ts';
import { CallGraphError } from './call-graph-error.ts';
import type { Direction } from './direction.ts';
import type { Language } from './language.ts';
import type { Cause, ParentChains } from './path.ts';
import { type ComparedGraph, createPathTracer, keyOf, type PathTracer } from './path-tracer.ts';
import { greatestSeverity, SEVERITIES, type Severities, type Severity } from './severity.ts';
import type { StoredGraph } from './stored-graph.ts';
import { packageOf } from './symbol-key.ts';
import { uniteSymbols } from './symbol-table.ts';
import { sortedUnique } from './text-order.ts';

/** Sink that can be reached in one of two graphs only. */
export interface DriftedSink {
  readonly direction: Direction;
  readonly severity: Severity;
  readonly symbol: string;
  readonly purl: string;
  readonly kind: SinkKind;
  readonly vulnerabilityIds: readonly string[];
  readonly cause: Cause;
  /** Confidence of the weakest edge of the path. */
  readonly confidence: Confidence;
  /** Whether the analysis may have missed a path: such a sink lowers no score. */
  readonly tentative: boolean;
  /** Calls from the entry to the sink. */
  readonly hops: number;
  /** Position of the sink in the parent chains of its direction. */
  readonly position: number;
}

/** Comparison of the sinks of two graphs; plain JSON. */
export interface Drift {
  readonly language: Language;
  readonly baseGraphHash: Digest;
  readonly headGraphHash: Digest;
  readonly counts: {
    readonly becameReachable: number;
    readonly becameUnreachable: number;
    readonly sinksConsidered: number;
    /** Sinks that can be reached. */
    readonly baseReachable: number;
    readonly headReachable: number;
  };
  readonly coverage: { readonly base: Coverage; readonly head: Coverage };
  /** By severity, greatest first, then by the bytes of the symbol key, then by kind. */
  readonly sinks: readonly DriftedSink[];
  readonly chains: Readonly<Record<Direction, ParentChains>>;
}

interface ComparedSink {
  readonly node: number;
  readonly kind: SinkKind;
  readonly vulnerabilityIds: readonly string[];
  readonly severity: Severity;
}

const compared = (graph: StoredGraph, nodes: Uint32Array, size: number): ComparedGraph => {
  const edges = renumber(graph.edges, nodes, size);
  const entries = graph.entries.map((entry) => nodes[entry] ?? 0);
  return { graph, nodes, edges, reach: search(edges, entries) };
};

/** Sinks of both graphs, each symbol and kind once, with the vulnerabilities of both. */
const sinksOf = (graphs: readonly ComparedGraph[], severities: Severities): ComparedSink[] => {
  const merged = new Map<string, { readonly node: number; readonly kind: SinkKind; readonly ids: string[] }>();
  for (const { graph, nodes } of graphs)
    for (const { symbol, kind, vulnerabilityIds } of graph.sinks) {
      const node = nodes[symbol] ?? 0;
      const sink = merged.get(`${node} ${kind}`);
      if (sink === undefined) merged.set(`${node} ${kind}`, { node, kind, ids: [...vulnerabilityIds] });
      else for (const id of vulnerabilityIds) sink.ids.push(id);
    }
  return [...merged.values()].map(({ node, kind, ids }) => {
    const vulnerabilityIds = sortedUnique(ids);
    return { node, kind, vulnerabilityIds, severity: greatestSeverity(vulnerabilityIds, severities) };
  });
};

const byImportance = (a: ComparedSink, b: ComparedSink): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.node - b.node || (a.kind < b.kind ? -1 : 1);

const requireIntact = (graph: StoredGraph): void => {
  if (graphHash(graph) !== graph.graphHash)
    throw new CallGraphError('damaged', 'The stored call graph does not have the hash it was stored with.');
};

type Tracers = Readonly<Record<Direction, PathTracer>>;

/** Drift of one sink; undefined where both graphs agree on it. */
const driftOf = (
  { node, ...sink }: ComparedSink,
  [before, after]: readonly [ComparedGraph, ComparedGraph],
  tracers: Tracers,
): Omit<DriftedSink, 'tentative'> | undefined => {
  const isReachable = isReached(after.reach, node);
  if (isReached(before.reach, node) === isReachable) return undefined;
  const direction = isReachable ? 'became_reachable' : 'became_unreachable';
  const { cause, confidence, hops, position } = tracers[direction].trace(node);
  const symbol = keyOf(isReachable ? after : before, node);
  if (cause === undefined) throw new Error(`The path to ${symbol} is in both graphs.`);
  const weakest = CONFIDENCES[confidence] ?? 'reflective-guess';
  return { ...sink, direction, symbol, purl: packageOf(symbol), cause, confidence: weakest, hops, position };
};

const countReached = (sinks: readonly ComparedSink[], { reach }: ComparedGraph): number =>
  sinks.filter(({ node }) => isReached(reach, node)).length;

/**
 * Sinks whose reachability differs between two graphs of one language (proofs 5.2). The graphs are used up: their edges
 * get the node numbers of the union.
 * @throws CallGraphError for a graph that does not have its hash
 */
export const computeDrift = (base: StoredGraph, head: StoredGraph, severities: Severities): Drift => {
  requireIntact(base);
  requireIntact(head);
  const union = uniteSymbols(base.symbols, head.symbols);
  const [before, after] = [compared(base, union.base, union.size), compared(head, union.head, union.size)];
  const considered = sinksOf([before, after], severities).sort(byImportance);
  const tracers: Tracers = {
    became_reachable: createPathTracer(after, before, 'added'),
    became_unreachable: createPathTracer(before, after, 'removed'),
  };
  const isPartial = !isWholeCoverage(base.coverage) || !isWholeCoverage(head.coverage);
  const sinks = considered
    .flatMap((sink) => driftOf(sink, [before, after], tracers) ?? [])
    .map((sink) => ({ ...sink, tentative: isPartial && sink.direction === 'became_unreachable' }));
  const becameReachable = sinks.filter(({ direction }) => direction === 'became_reachable').length;
  return {
    language: head.language,
    baseGraphHash: base.graphHash,
    headGraphHash: head.graphHash,
    counts: {
      becameReachable,
      becameUnreachable: sinks.length - becameReachable,
      sinksConsidered: considered.length,
      baseReachable: countReached(considered, before),
      headReachable: countReached(considered, after),
    },
    coverage: { base: base.coverage, head: head.coverage },
    sinks,
    chains: {
      became_reachable: tracers.became_reachable.chains,
      became_unreachable: tracers.became_unreachable.chains,
    },
  };
};
