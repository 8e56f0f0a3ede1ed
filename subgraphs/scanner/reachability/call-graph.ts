import { createDigester, type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Language } from './language.ts';
import { keyAt, type SymbolTable } from './symbol-table.ts';

/** Confidence of an edge, weakest first; stored as its index. */
export const CONFIDENCES = ['reflective-guess', 'dynamic-dispatch', 'static'] as const;
export type Confidence = (typeof CONFIDENCES)[number];
export const STATIC = CONFIDENCES.length - 1;

export const SINK_KINDS = ['vuln-symbol', 'dangerous-api'] as const;
export type SinkKind = (typeof SINK_KINDS)[number];

export interface Sink {
  /** Rank of its symbol. */
  readonly symbol: number;
  readonly kind: SinkKind;
  /** Sorted and unique. */
  readonly vulnerabilityIds: readonly string[];
}

/** Extent of the program that the analysis covers. */
export interface Coverage {
  /** Whether every call of the language's code is in the graph, those by reflection and dynamic loading included. */
  readonly complete: boolean;
  /** Package URLs without version whose code was not analysed whole, although the rest was. */
  readonly incompletePackages: readonly string[];
  /** Limits of the analysis, as sentences for people. */
  readonly limitations: readonly string[];
}

/** Compressed sparse rows: the callees of v are `callees[offsets[v] .. offsets[v + 1])`, ascending and unique. */
export interface Adjacency {
  readonly offsets: Uint32Array;
  readonly callees: Uint32Array;
  /** Index in CONFIDENCES of each edge. */
  readonly confidences: Uint8Array;
}

/** Call graph in its canonical form (proofs 5.1): nodes are ranks of the sorted symbol keys. */
export interface CallGraph {
  readonly language: Language;
  readonly tool: string;
  readonly coverage: Coverage;
  readonly symbols: SymbolTable;
  readonly edges: Adjacency;
  /** Sorted, unique and at least one. */
  readonly entries: Uint32Array;
  /** Sorted by symbol, then kind; unique. */
  readonly sinks: readonly Sink[];
}

/** Upper bounds of a graph; what exceeds them is refused. */
export interface GraphLimits {
  readonly symbols: number;
  readonly edges: number;
  readonly sinks: number;
  /** Bytes of all symbol keys together. */
  readonly keyBytes: number;
}

export const GRAPH_LIMITS: GraphLimits = { symbols: 5_000_000, edges: 50_000_000, sinks: 500_000, keyBytes: 2 ** 30 };

export const isWholeCoverage = ({ complete, incompletePackages }: Coverage): boolean =>
  complete && incompletePackages.length === 0;

/** Numbers that are hashed at once. */
const BLOCK = 1 << 16;

/** The same memory as bytes; the platforms are little-endian. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Hash of the keys, each after its length as u32; the bytes of a block of keys are hashed at once. A key takes what it
 * shares with the key before it from the block, which is longer than two of the longest keys.
 */
const hashSymbols = ({ size, bytes, offsets, shared }: SymbolTable): Digest => {
  const digester = createDigester();
  const block = new Uint8Array(BLOCK);
  let [hashed, used, before, lengthBefore] = [0, 0, 0, 0];
  for (let rank = 0; rank < size; rank++) {
    const prefix = shared?.[rank] ?? 0;
    const [from, to] = [offsets[rank] ?? 0, offsets[rank + 1] ?? 0];
    const length = prefix + to - from;
    if (used + 4 + length > block.length) {
      digester.add(block.subarray(hashed, used));
      block.copyWithin(0, before, before + lengthBefore);
      [hashed, used, before] = [lengthBefore, lengthBefore, 0];
    }
    for (let shift = 0; shift < 32; shift += 8) block[used++] = length >>> shift;
    for (let i = 0; i < prefix; i++) block[used + i] = block[before + i] ?? 0;
    [before, lengthBefore] = [used, length];
    used += prefix;
    for (let at = from; at < to; at++) block[used++] = bytes[at] ?? 0;
  }
  digester.add(block.subarray(hashed, used));
  return digester.digest();
};

/** Hash of the (caller, callee) pairs in order, each two u32. */
const hashEdges = ({ offsets, callees }: Adjacency): Digest => {
  const digester = createDigester();
  const block = new Uint32Array(2 * BLOCK);
  let used = 0;
  for (let caller = 0; caller + 1 < offsets.length; caller++) {
    const end = offsets[caller + 1] ?? 0;
    for (let edge = offsets[caller] ?? 0; edge < end; edge++) {
      block[used++] = caller;
      block[used++] = callees[edge] ?? 0;
      if (used < block.length) continue;
      digester.add(bytesOf(block));
      used = 0;
    }
  }
  digester.add(bytesOf(block.subarray(0, used)));
  return digester.digest();
};

const lengthPrefixed = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Hash of the sinks: of each its key, kind, and vulnerability ids as canonical JSON, all length-prefixed. */
const hashSinks = ({ sinks, symbols }: CallGraph): Digest => {
  const digester = createDigester();
  for (const { symbol, kind, vulnerabilityIds } of sinks)
    for (const text of [keyAt(symbols, symbol), kind, canonicalJson(vulnerabilityIds)])
      digester.add(lengthPrefixed(text));
  return digester.digest();
};

/** Identity of a call graph: symbols, edges, entries and sinks, not confidence or coverage (proofs 5.1). */
export const graphHash = (graph: CallGraph): Digest =>
  sha256(
    'callgraph/v1\n',
    canonicalJson({
      symbolsHash: hashSymbols(graph.symbols),
      edgesHash: hashEdges(graph.edges),
      entriesHash: sha256(bytesOf(graph.entries)),
      sinksHash: hashSinks(graph),
    }),
  );
