interface DocumentSketch {
  readonly language?: string;
  /** Calls by the names of functions; a name is also the vulnerability id `CVE-<name>` where it is a sink. */
  readonly calls: readonly (readonly [caller: string, callee: string, confidence?: string])[];
  readonly sinks: readonly string[];
  /** Package of all functions. */
  readonly purl?: string;
  readonly isComplete?: boolean;
}

/** Call graph in the format of docs/call-graphs.md whose entry is `main`. */
export const callGraphDocument = ({
  language = 'node',
  calls,
  sinks,
  purl = 'pkg:npm/app',
  isComplete = true,
}: DocumentSketch) => {
  const names = [
    ...new Set(['main', ...calls.map(([caller]) => caller), ...calls.map(([, callee]) => callee), ...sinks]),
  ];
  const numberOf = (name: string): number => names.indexOf(name);
  return {
    schema: 'landfall.callgraph/v1',
    language,
    tool: 'test',
    coverage: { complete: isComplete },
    symbols: names.map((name) => ({ purl, name })),
    edges: calls.map(([caller, callee, confidence = 'static']) => [numberOf(caller), numberOf(callee), confidence]),
    entries: [0],
    sinks: sinks.map((name) => ({ symbol: numberOf(name), kind: 'vuln-symbol', vulnerabilityIds: [`CVE-${name}`] })),
  };
};
