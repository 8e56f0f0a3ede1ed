import type { CallGraph, Confidence, Coverage, GraphLimits } from './call-graph.ts';
import { CallGraphError } from './call-graph-error.ts';
import { type GoAdvisory, vulnerablePackages, vulnerableSymbols } from './go-sinks.ts';
import { createModuleFinder, type GoFunction, goSymbol, parseGoFunction } from './go-symbol.ts';
import { createGraphBuilder, type GraphBuilder } from './graph-builder.ts';
import { readLines } from './lines.ts';

/** Facts of a program that the output of `callgraph` does not have. */
export interface GoProgram {
  readonly mainModule: string;
  /** Paths of all other modules of the build, as `go list -m all` or an SBOM names them. */
  readonly modules: readonly string[];
  /** Name, version and algorithm of the analysis, such as `callgraph 0.5.0 -algo=rta`. */
  readonly tool: string;
  /** By default incomplete: `callgraph` does not follow reflection, assembly and cgo. */
  readonly coverage?: Coverage;
  /** Advisories of the modules of the build, whose symbols become sinks. */
  readonly advisories: readonly GoAdvisory[];
}

interface Call {
  readonly caller: string;
  readonly callee: string;
  readonly confidence: Confidence;
}

const PARTIAL: Coverage = {
  complete: false,
  incompletePackages: [],
  limitations: [
    'Calls by reflection, assembly, cgo and go:linkname are not followed.',
    'Older versions of callgraph, such as 0.5.0, miss calls of generic functions and methods.',
  ],
};

/** Node of some algorithms that calls every entry of the program. */
const ROOT = '<root>';

/** Quoted text of the format `digraph`, as Go's %q writes it. */
const unquote = (text: string): string => text.replace(/\\(["\\])/g, '$1');

/**
 * Call of a line of `callgraph`: in the default format, which says whether a call is dynamic, or in `digraph`, which
 * does not, so that each call counts as dynamic.
 */
const parseCall = (line: string): Call => {
  const full = /^(.+)\t--(static|dynamic)-\d+:\d+-->\t(.+)$/.exec(line);
  if (full !== null) {
    const [, caller = '', kind, callee = ''] = full;
    if (kind === 'static') return { caller, callee, confidence: 'static' };
    return { caller, callee, confidence: /^\(?\*?reflect\./.test(caller) ? 'reflective-guess' : 'dynamic-dispatch' };
  }
  const pair = /^"((?:[^"\\]|\\.)+)" "((?:[^"\\]|\\.)+)"$/.exec(line);
  if (pair === null)
    throw new CallGraphError('not_a_call_graph', `This line is no output of callgraph: ${line.slice(0, 200)}`);
  const [, caller = '', callee = ''] = pair;
  return { caller: unquote(caller), callee: unquote(callee), confidence: 'dynamic-dispatch' };
};

interface IndexedFunction extends GoFunction {
  readonly module: string;
  readonly symbol: number;
}

/** Functions of a program, each added to the graph once. */
const createFunctionIndex = (builder: GraphBuilder, moduleOf: (path: string) => string) => {
  const byName = new Map<string, IndexedFunction>();
  const byText = new Map<string, number>();
  const byPackage = new Map<string, number[]>();
  const add = (module: string, target: GoFunction): number => {
    const id = `${target.path} ${target.name}`;
    const known = byName.get(id);
    if (known !== undefined) return known.symbol;
    const symbol = builder.addSymbol(goSymbol(target, module));
    byName.set(id, { ...target, module, symbol });
    const siblings = byPackage.get(target.path);
    if (siblings === undefined) byPackage.set(target.path, [symbol]);
    else siblings.push(symbol);
    return symbol;
  };
  return {
    add,
    ofPackage: (path: string): readonly number[] => byPackage.get(path) ?? [],
    all: (): Iterable<IndexedFunction> => byName.values(),
    /** Symbol of a function as `callgraph` writes it. */
    ofText(text: string): number {
      const known = byText.get(text);
      if (known !== undefined) return known;
      const target = parseGoFunction(text);
      const symbol = add(moduleOf(target.path), target);
      byText.set(text, symbol);
      return symbol;
    },
  };
};

const isExported = ({ name }: GoFunction): boolean => name.split('.').every((part) => /^\p{Lu}/u.test(part));

/** Entries of a program: main and the initialisation of its package; of a library every exported function. */
const entriesOf = (functions: readonly IndexedFunction[], mainModule: string): IndexedFunction[] => {
  const own = functions.filter(({ module }) => module === mainModule);
  const programs = new Set(own.filter(({ name }) => name === 'main').map(({ path }) => path));
  if (programs.size === 0) return own.filter(isExported);
  return own.filter(({ path, name }) => programs.has(path) && (name === 'main' || name === 'init'));
};

/**
 * Converts the output of `callgraph` of golang.org/x/tools to a call graph.
 * @throws CallGraphError for other text, for a program without entries and above the limits
 */
export const readGoCallGraph = async (
  source: AsyncIterable<Uint8Array>,
  { mainModule, modules, tool, coverage = PARTIAL, advisories }: GoProgram,
  limits?: GraphLimits,
): Promise<CallGraph> => {
  const builder = createGraphBuilder('go', limits);
  const index = createFunctionIndex(builder, createModuleFinder(mainModule, modules));
  for await (const line of readLines(source)) {
    const { caller, callee, confidence } = parseCall(line);
    if (caller === ROOT) builder.addEntry(index.ofText(callee));
    else builder.addEdge(index.ofText(caller), index.ofText(callee), confidence);
  }
  for (const { symbol } of entriesOf([...index.all()], mainModule)) builder.addEntry(symbol);
  for (const vulnerable of advisories.flatMap(vulnerablePackages))
    for (const symbol of vulnerableSymbols(index, vulnerable))
      builder.addSink(symbol, 'vuln-symbol', vulnerable.vulnerabilityIds);
  return builder.build({ tool, coverage });
};
