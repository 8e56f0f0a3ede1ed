import { findEdge } from './adjacency.ts';
import { isReached, pathTo, type Reach, search } from './breadth-first.ts';
import { type CallGraph, CONFIDENCES, type Confidence, type Sink, STATIC } from './call-graph.ts';
import { packageOf, purlWithoutVersion } from './symbol-key.ts';
import { keyAt } from './symbol-table.ts';

/** Reachability of a finding as the score's input states it (proofs 2.1). */
type Reachability = 'reachable' | 'potentially_reachable' | 'unknown' | 'unreachable';

export interface FindingSubject {
  /** Package URL of the component; its version does not count. */
  readonly purl: string;
  /** Ids of the alias group of the finding. */
  readonly vulnerabilityIds: readonly string[];
}

/** Statement on a finding with its ground. */
export interface ReachabilityStatement {
  readonly reachability: Reachability;
  readonly reason:
    | 'vulnerable_symbol_reached'
    | 'vulnerable_symbol_reached_by_weak_edges'
    | 'package_reached'
    | 'vulnerable_symbol_not_reached'
    | 'coverage_incomplete'
    | 'symbols_unknown';
  /** Key of the vulnerable symbol that is reached; null where none is. */
  readonly symbol: string | null;
  /** Confidence of the weakest edge of the path to it. */
  readonly confidence: Confidence | null;
}

const confidenceOf = ({ edges }: CallGraph, reach: Reach, node: number): number => {
  const path = pathTo(reach, node);
  return path.slice(1).reduce((weakest, callee, i) => {
    const edge = findEdge(edges, path[i] ?? 0, callee);
    return Math.min(weakest, edges.confidences[edge] ?? 0);
  }, STATIC);
};

/** Packages with a symbol that is reached. */
const reachedPackages = ({ symbols }: CallGraph, reach: Reach): ReadonlySet<string> => {
  const packages = new Set<string>();
  for (let rank = 0; rank < symbols.size; rank++)
    if (isReached(reach, rank)) packages.add(packageOf(keyAt(symbols, rank)));
  return packages;
};

/** Sinks that are vulnerable symbols, by vulnerability id. */
const sinksById = ({ sinks }: CallGraph): ReadonlyMap<string, readonly Sink[]> => {
  const byId = new Map<string, Sink[]>();
  for (const sink of sinks.filter(({ kind }) => kind === 'vuln-symbol'))
    for (const id of sink.vulnerabilityIds) {
      const known = byId.get(id);
      if (known === undefined) byId.set(id, [sink]);
      else known.push(sink);
    }
  return byId;
};

/** Statement where no vulnerable symbol is reached. */
const unreachedStatement = (
  hasSymbols: boolean,
  isPackageReached: boolean,
  isAnalysed: boolean,
): Pick<ReachabilityStatement, 'reachability' | 'reason'> => {
  if (!hasSymbols)
    return isPackageReached
      ? { reachability: 'potentially_reachable', reason: 'package_reached' }
      : { reachability: 'unknown', reason: 'symbols_unknown' };
  return isAnalysed
    ? { reachability: 'unreachable', reason: 'vulnerable_symbol_not_reached' }
    : { reachability: 'unknown', reason: 'coverage_incomplete' };
};

/**
 * Judge of findings by one call graph. A finding is `unreachable` only when the analysis of its package is complete
 * and its vulnerable symbols are known; silence of a partial analysis is `unknown` (proofs 2.1, admission).
 */
export const createReachabilityJudge = (graph: CallGraph) => {
  const reach = search(graph.edges, graph.entries);
  const packages = reachedPackages(graph, reach);
  const sinks = sinksById(graph);
  return ({ purl, vulnerabilityIds }: FindingSubject): ReachabilityStatement => {
    const component = purlWithoutVersion(purl);
    const known = vulnerabilityIds
      .flatMap((id) => sinks.get(id) ?? [])
      .map(({ symbol }) => ({ symbol, key: keyAt(graph.symbols, symbol) }))
      .filter(({ key }) => packageOf(key) === component);
    const [best] = known
      .filter(({ symbol }) => isReached(reach, symbol))
      .map(({ symbol, key }) => ({ key, symbol, confidence: confidenceOf(graph, reach, symbol) }))
      .sort((a, b) => b.confidence - a.confidence || a.symbol - b.symbol);
    const isAnalysed = graph.coverage.complete && !graph.coverage.incompletePackages.includes(component);
    if (best === undefined)
      return {
        ...unreachedStatement(known.length > 0, packages.has(component), isAnalysed),
        symbol: null,
        confidence: null,
      };
    return {
      ...(best.confidence === STATIC
        ? { reachability: 'reachable', reason: 'vulnerable_symbol_reached' }
        : { reachability: 'potentially_reachable', reason: 'vulnerable_symbol_reached_by_weak_edges' }),
      symbol: best.key,
      confidence: CONFIDENCES[best.confidence] ?? 'reflective-guess',
    };
  };
};
