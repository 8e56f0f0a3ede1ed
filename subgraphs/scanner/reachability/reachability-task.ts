import type { GraphLimits } from './call-graph.ts';
import type { CallGraphReason } from './call-graph-error.ts';
import type { Drift } from './drift.ts';
import type { FindingSubject, ReachabilityStatement } from './finding-reachability.ts';
import type { GoProgram } from './go-callgraph.ts';
import type { Language } from './language.ts';
import type { Severities } from './severity.ts';
import type { EncodedGraph } from './stored-graph.ts';

/** Import of a document that the thread reads from its standard input. */
export interface ImportTask {
  readonly kind: 'import';
  /** A language names the platform's own format, a program the output of Go's `callgraph`. */
  readonly format: Language | GoProgram;
  readonly limits?: GraphLimits;
}

/** Comparison of two stored graphs. */
export interface DriftTask {
  readonly kind: 'drift';
  readonly base: Uint8Array;
  readonly head: Uint8Array;
  readonly severities: Severities;
}

/** Statements on findings by one stored graph. */
export interface StatementTask {
  readonly kind: 'statements';
  readonly graph: Uint8Array;
  readonly findings: readonly FindingSubject[];
}

export type ReachabilityTask = ImportTask | DriftTask | StatementTask;

/** Answer of the thread; `refused` for a call graph that the sender must correct. */
export type ReachabilityAnswer =
  | { readonly kind: 'import'; readonly graph: EncodedGraph }
  | { readonly kind: 'drift'; readonly drift: Drift }
  | { readonly kind: 'statements'; readonly statements: readonly ReachabilityStatement[] }
  | { readonly kind: 'refused'; readonly reason: CallGraphReason; readonly message: string };
