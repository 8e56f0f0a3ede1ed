import type { CallGraph, Confidence, Coverage } from '../call-graph.ts';
import { createGraphBuilder } from '../graph-builder.ts';
import { decodeGraph, encodeGraph, type StoredGraph } from '../stored-graph.ts';

/** Call graph by the names of its functions; `package/name` puts a function into a package, which is `app` otherwise. */
export interface GraphSketch {
  readonly edges: readonly (readonly [caller: string, callee: string, confidence?: Confidence])[];
  readonly entries: readonly string[];
  readonly sinks: readonly string[];
  readonly coverage?: Partial<Coverage>;
}

const nameOf = (sketch: string): { readonly purl: string; readonly name: string } => {
  const [first = '', second] = sketch.split('/');
  return { purl: `pkg:npm/${second === undefined ? 'app' : first}`, name: second ?? first };
};

/** Symbol key of a function of a sketch. */
export const sketchKey = (sketch: string): string => `node|${nameOf(sketch).purl}||${nameOf(sketch).name}|`;

export const buildSketch = ({ edges, entries, sinks, coverage }: GraphSketch): CallGraph => {
  const builder = createGraphBuilder('node');
  const numbers = new Map<string, number>();
  const numberOf = (sketch: string): number => {
    const known = numbers.get(sketch) ?? builder.addSymbol({ ...nameOf(sketch), module: '', signature: '' });
    numbers.set(sketch, known);
    return known;
  };
  for (const [caller, callee, confidence = 'static'] of edges)
    builder.addEdge(numberOf(caller), numberOf(callee), confidence);
  for (const entry of entries) builder.addEntry(numberOf(entry));
  for (const sink of sinks) builder.addSink(numberOf(sink), 'vuln-symbol', [`CVE-${sink}`]);
  const whole = { complete: true, incompletePackages: [], limitations: [] };
  return builder.build({ tool: 'sketch', coverage: { ...whole, ...coverage } });
};

export const storeSketch = (sketch: GraphSketch): StoredGraph => decodeGraph(encodeGraph(buildSketch(sketch)).stored);

/** Document in chunks of a few bytes, as a slow sender would send it. */
export async function* chunked(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
