import { isJsonObject, type JsonObject } from '@landfall/kernel/core/json';
import { type CallGraph, CONFIDENCES, type Coverage, type GraphLimits, SINK_KINDS } from './call-graph.ts';
import { CallGraphError } from './call-graph-error.ts';
import { createGraphBuilder, type GraphBuilder } from './graph-builder.ts';
import { readMembers } from './json-members.ts';
import { type Language, parseLanguage } from './language.ts';

/** Value of the member `schema`: the version of the format, which docs/call-graphs.md describes. */
const SCHEMA = 'landfall.callgraph/v1';

const refuse = (message: string): never => {
  throw new CallGraphError('not_a_call_graph', message);
};

const textOf = (value: unknown, what: string): string =>
  typeof value === 'string' ? value : refuse(`${what} is not a text.`);

const textsOf = (value: unknown, what: string): readonly string[] =>
  value === undefined
    ? []
    : Array.isArray(value)
      ? value.map((item) => textOf(item, what))
      : refuse(`${what} is not a list.`);

const objectOf = (value: unknown, members: readonly string[], what: string): JsonObject => {
  if (!isJsonObject(value)) return refuse(`${what} is not an object.`);
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  return unknown === undefined ? value : refuse(`${what} has the unknown member ${JSON.stringify(unknown)}.`);
};

const indexOf = (value: unknown, what: string): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32
    ? value
    : refuse(`${what} is not the number of a symbol.`);

const choiceOf = <T extends string>(value: unknown, choices: readonly T[], what: string): T =>
  choices.find((choice) => choice === value) ?? refuse(`${what} is not one of ${choices.join(', ')}.`);

const languageOf = (value: unknown): Language =>
  parseLanguage(textOf(value, 'The language')) ?? refuse('The language of the call graph is not supported.');

const coverageOf = (value: unknown): Coverage => {
  const coverage = objectOf(value, ['complete', 'incompletePackages', 'limitations'], 'The coverage');
  if (typeof coverage.complete !== 'boolean') return refuse('The coverage does not say whether it is complete.');
  return {
    complete: coverage.complete,
    incompletePackages: textsOf(coverage.incompletePackages, 'An incomplete package'),
    limitations: textsOf(coverage.limitations, 'A limitation'),
  };
};

const ELEMENT_READERS: Readonly<Record<string, (builder: GraphBuilder, element: unknown) => void>> = {
  symbols: (builder, element) => {
    const symbol = objectOf(element, ['purl', 'module', 'name', 'signature'], 'A symbol');
    builder.addSymbol({
      purl: textOf(symbol.purl, 'The purl of a symbol'),
      module: textOf(symbol.module ?? '', 'The module of a symbol'),
      name: textOf(symbol.name, 'The name of a symbol'),
      signature: textOf(symbol.signature ?? '', 'The signature of a symbol'),
    });
  },
  edges: (builder, element) => {
    if (!Array.isArray(element) || element.length < 2 || element.length > 3)
      return refuse('An edge is not [caller, callee].');
    const [caller, callee, confidence = 'static']: readonly unknown[] = element;
    const strength =
      confidence === 'static' ? confidence : choiceOf(confidence, CONFIDENCES, 'The confidence of an edge');
    builder.addEdge(indexOf(caller, 'The caller of an edge'), indexOf(callee, 'The callee of an edge'), strength);
  },
  entries: (builder, element) => builder.addEntry(indexOf(element, 'An entry')),
  sinks: (builder, element) => {
    const sink = objectOf(element, ['symbol', 'kind', 'vulnerabilityIds'], 'A sink');
    const kind = choiceOf(sink.kind, SINK_KINDS, 'The kind of a sink');
    const ids = textsOf(sink.vulnerabilityIds, 'A vulnerability id');
    if (kind === 'vuln-symbol' && ids.length === 0) refuse('A sink of the kind vuln-symbol names no vulnerability.');
    builder.addSink(indexOf(sink.symbol, 'The symbol of a sink'), kind, ids);
  },
};

const HEADER = ['schema', 'language', 'tool', 'coverage'];

/**
 * Reads a call graph in the platform's own JSON format (docs/call-graphs.md); its members come in any order.
 * @throws CallGraphError for a document that is refused, such as one of another language
 */
export const readGraphDocument = async (
  source: AsyncIterable<Uint8Array>,
  language: Language,
  limits?: GraphLimits,
): Promise<CallGraph> => {
  const builder = createGraphBuilder(language, limits);
  const header: Record<string, unknown> = {};
  await readMembers(source, {
    onMember(name, value) {
      if (!HEADER.includes(name)) refuse(`The document has the unknown member ${JSON.stringify(name)}.`);
      header[name] = value;
    },
    onElement(name, value) {
      const read = Object.hasOwn(ELEMENT_READERS, name) ? ELEMENT_READERS[name] : undefined;
      if (read === undefined) return refuse(`The document has the unknown list ${JSON.stringify(name)}.`);
      read(builder, value);
    },
  });
  if (header.schema !== SCHEMA) refuse(`The member schema of the document is not ${SCHEMA}.`);
  if (languageOf(header.language) !== language) refuse(`The call graph is not of the language ${language}.`);
  return builder.build({ tool: textOf(header.tool ?? '', 'The tool'), coverage: coverageOf(header.coverage) });
};
