import { buildAdjacency } from './adjacency.ts';
import {
  type CallGraph,
  CONFIDENCES,
  type Confidence,
  type Coverage,
  GRAPH_LIMITS,
  type GraphLimits,
  type Sink,
  type SinkKind,
} from './call-graph.ts';
import { CallGraphError } from './call-graph-error.ts';
import { createKeyList, sortSymbols } from './key-list.ts';
import type { Language } from './language.ts';
import { createNumberList } from './number-list.ts';
import { type SymbolName, symbolKey } from './symbol-key.ts';
import { sortedUnique } from './text-order.ts';

interface GraphDescription {
  readonly language: Language;
  /** Name and version of the program that made the graph, for people. */
  readonly tool: string;
  readonly coverage: Coverage;
}

/** Sinks by symbol and kind, each with the vulnerability ids of all that name it. */
const mergeSinks = (sinks: readonly Sink[]): Sink[] => {
  const merged = new Map<string, { readonly sink: Sink; readonly ids: string[] }>();
  for (const sink of sinks) {
    const id = `${sink.symbol} ${sink.kind}`;
    const known = merged.get(id);
    if (known === undefined) merged.set(id, { sink, ids: [...sink.vulnerabilityIds] });
    else for (const vulnerabilityId of sink.vulnerabilityIds) known.ids.push(vulnerabilityId);
  }
  return [...merged.values()]
    .map(({ sink, ids }) => ({ ...sink, vulnerabilityIds: sortedUnique(ids) }))
    .sort((a, b) => a.symbol - b.symbol || (a.kind < b.kind ? -1 : 1));
};

const requireKnown = (symbols: Uint32Array, size: number): void => {
  const unknown = symbols.find((symbol) => symbol >= size);
  if (unknown !== undefined)
    throw new CallGraphError('unknown_symbol', `Symbol ${unknown} is not one of the ${size} symbols of the graph.`);
};

const ranked = (symbols: Uint32Array, ranks: Uint32Array): Uint32Array => symbols.map((symbol) => ranks[symbol] ?? 0);

/** Collects a call graph whose symbols are numbered in the order of their addition, and makes it canonical. */
export const createGraphBuilder = (language: Language, limits: GraphLimits = GRAPH_LIMITS) => {
  const keys = createKeyList(limits.keyBytes);
  const callers = createNumberList();
  const callees = createNumberList();
  const confidences = createNumberList();
  const entries = createNumberList();
  const sinks: Sink[] = [];
  let size = 0;
  return {
    /** Adds a symbol and returns its number. @throws CallGraphError for a name that makes no key, and above the limits */
    addSymbol(name: SymbolName): number {
      if (size === limits.symbols)
        throw new CallGraphError('too_many_symbols', `The graph has more than ${limits.symbols} symbols.`);
      keys.push(symbolKey(language, name));
      return size++;
    },
    /** Adds a call; its symbols may be added later. @throws CallGraphError above the limit */
    addEdge(caller: number, callee: number, confidence: Confidence): void {
      if (callers.length === limits.edges)
        throw new CallGraphError('too_many_edges', `The graph has more than ${limits.edges} edges.`);
      callers.push(caller);
      callees.push(callee);
      confidences.push(CONFIDENCES.indexOf(confidence));
    },
    addEntry: (symbol: number): void => entries.push(symbol),
    /** @throws CallGraphError above the limit */
    addSink(symbol: number, kind: SinkKind, vulnerabilityIds: readonly string[]): void {
      if (sinks.length === limits.sinks)
        throw new CallGraphError('too_many_sinks', `The graph has more than ${limits.sinks} sinks.`);
      sinks.push({ symbol, kind, vulnerabilityIds });
    },
    /** @throws CallGraphError for a symbol that was not added, and for a graph without entries */
    build({ tool, coverage }: Omit<GraphDescription, 'language'>): CallGraph {
      for (const { view } of [callers, callees, entries]) requireKnown(view(), size);
      requireKnown(
        Uint32Array.from(sinks, ({ symbol }) => symbol),
        size,
      );
      // Nothing is reachable without an entry, which would read as an all-clear.
      if (entries.length === 0)
        throw new CallGraphError('no_entries', 'The graph has no entries, such as main functions or handlers.');
      const { table, ranks } = sortSymbols(keys.table(), limits.keyBytes);
      const edges = { callers: ranked(callers.view(), ranks), callees: ranked(callees.view(), ranks) };
      return {
        language,
        tool,
        coverage: { ...coverage, incompletePackages: sortedUnique(coverage.incompletePackages) },
        symbols: table,
        edges: buildAdjacency(size, { ...edges, confidences: Uint8Array.from(confidences.view()) }),
        entries: Uint32Array.from(new Set(ranked(entries.view(), ranks))).sort(),
        sinks: mergeSinks(sinks.map((sink) => ({ ...sink, symbol: ranks[sink.symbol] ?? 0 }))),
      };
    },
  };
};

export type GraphBuilder = ReturnType<typeof createGraphBuilder>;
