import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { bytesOf, type CallGraph, type Coverage, graphHash, type Sink } from './call-graph.ts';
import { CallGraphError } from './call-graph-error.ts';
import type { Language } from './language.ts';
import { frontCoded } from './symbol-table.ts';

interface StoredHeader {
  readonly language: Language;
  readonly tool: string;
  readonly coverage: Coverage;
  readonly sinks: readonly Sink[];
  readonly graphHash: Digest;
  readonly symbols: number;
  readonly edges: number;
  readonly entries: number;
}

/** A graph with its hash, which the caller does not compute again. */
export interface StoredGraph extends CallGraph {
  readonly graphHash: Digest;
}

/** Stored form of a graph with what describes it. */
export interface EncodedGraph {
  readonly stored: Uint8Array;
  readonly graphHash: Digest;
  readonly coverage: Coverage;
  readonly counts: {
    readonly symbols: number;
    readonly edges: number;
    readonly entries: number;
    readonly sinks: number;
  };
}

/** Bytes before the compressed part: the format's version and the length of the part as it is uncompressed. */
const PREFIX = 12;
const VERSION = 2;
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

const damaged = (options?: ErrorOptions): CallGraphError =>
  new CallGraphError('damaged', 'The stored call graph is damaged. Import it again.', options);

/** Differences of neighbours, modulo 2^32: small numbers, which compress well. */
const differences = (numbers: Uint32Array): Uint32Array => numbers.map((value, i) => value - (numbers[i - 1] ?? 0));

/** Inverse of `differences`, in the same array. */
const sum = (numbers: Uint32Array): Uint32Array => {
  let total = 0;
  for (let i = 0; i < numbers.length; i++) {
    total = (total + (numbers[i] ?? 0)) >>> 0;
    numbers[i] = total;
  }
  return numbers;
};

/** Encodes a graph for a table column: a header in JSON and the arrays, compressed by zstd. */
export const encodeGraph = (graph: CallGraph): EncodedGraph => {
  const { edges, entries } = graph;
  const symbols = frontCoded(graph.symbols);
  const header: StoredHeader = {
    language: graph.language,
    tool: graph.tool,
    coverage: graph.coverage,
    sinks: graph.sinks,
    graphHash: graphHash(graph),
    symbols: symbols.size,
    edges: edges.callees.length,
    entries: entries.length,
  };
  const json = JSON.stringify(header);
  // Spaces up to a multiple of four bytes, so that the arrays behind it are aligned.
  const text = Buffer.from(json.padEnd(json.length + ((4 - (Buffer.byteLength(json) % 4)) % 4)));
  const numbers = [symbols.offsets, edges.offsets, edges.callees, entries].map((list) => bytesOf(differences(list)));
  const { buffer, byteOffset, byteLength } = symbols.shared;
  const shared = new Uint8Array(buffer, byteOffset, byteLength);
  const parts = [bytesOf(Uint32Array.of(text.length)), text, ...numbers, shared, edges.confidences, symbols.bytes];
  const whole = Buffer.concat(parts);
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32LE(VERSION);
  prefix.writeBigUInt64LE(BigInt(whole.length), 4);
  return {
    stored: Buffer.concat([prefix, zstdCompressSync(whole, COMPRESSION)]),
    graphHash: header.graphHash,
    coverage: graph.coverage,
    counts: { symbols: header.symbols, edges: header.edges, entries: header.entries, sinks: graph.sinks.length },
  };
};

/** Uncompressed part of a stored graph, whose checksum zstd verifies. */
const inflate = (stored: Uint8Array): Buffer => {
  const prefix = Buffer.from(stored.buffer, stored.byteOffset, Math.min(PREFIX, stored.length));
  if (prefix.length < PREFIX || prefix.readUInt32LE() !== VERSION) throw damaged();
  const length = Number(prefix.readBigUInt64LE(4));
  try {
    const whole = zstdDecompressSync(stored.subarray(PREFIX), { maxOutputLength: length, chunkSize: length });
    if (whole.length === length) return whole;
  } catch (error) {
    throw damaged({ cause: error });
  }
  throw damaged();
};

/** Graph of a stored form; its arrays are views of one buffer. @throws CallGraphError for bytes that are damaged */
export const decodeGraph = (stored: Uint8Array): StoredGraph => {
  const whole = inflate(stored);
  let at = 4 + whole.readUInt32LE();
  const header: StoredHeader = JSON.parse(whole.toString('utf8', 4, at));
  const next = (length: number): Uint32Array => {
    const numbers = new Uint32Array(whole.buffer, whole.byteOffset + at, length);
    at += numbers.byteLength;
    return sum(numbers);
  };
  const { symbols: size, edges, entries, ...rest } = header;
  const offsets = next(size + 1);
  const adjacency = { offsets: next(size + 1), callees: next(edges) };
  const numbers = { entries: next(entries) };
  const shared = new Uint16Array(whole.buffer, whole.byteOffset + at, size);
  at += shared.byteLength;
  return {
    ...rest,
    ...numbers,
    edges: { ...adjacency, confidences: new Uint8Array(whole.buffer, whole.byteOffset + at, edges) },
    symbols: { size, offsets, shared, bytes: whole.subarray(at + edges) },
  };
};
