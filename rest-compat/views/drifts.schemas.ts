import Type from 'typebox';
import { count, digest, instant, nullable, strict, uuid } from './parts.ts';

const language = Type.Enum(['dotnet', 'java', 'go', 'python', 'node', 'bun', 'deno', 'php', 'ruby', 'rust']);

const coverage = strict({
  complete: Type.Boolean(),
  incompletePackages: Type.Array(Type.String()),
  limitations: Type.Array(Type.String()),
});

export const callGraph = strict({
  scanId: uuid,
  language,
  graphHash: digest,
  coverage,
  counts: strict({ symbols: count, edges: count, entries: count, sinks: count }),
  importedAt: instant,
});

export const reachabilityRequest = Type.Object({
  language: Type.Optional(Type.String({ default: 'dotnet', description: 'One of the ten languages, or an alias.' })),
});

export const reachabilityJob = strict({
  jobId: uuid,
  scanId: uuid,
  language,
  status: Type.Enum(['queued', 'running', 'completed', 'failed']),
});

const sink = strict({
  sinkId: Type.String(),
  direction: Type.Enum(['became_reachable', 'became_unreachable']),
  severity: Type.Enum(['critical', 'high', 'unknown', 'medium', 'low', 'none']),
  symbol: Type.String(),
  purl: Type.String(),
  kind: Type.Enum(['vuln-symbol', 'dangerous-api']),
  vulnerabilityIds: Type.Array(Type.String()),
  cause: strict({
    kind: Type.Enum(['entry_added', 'entry_removed', 'symbol_added', 'symbol_removed', 'edge_added', 'edge_removed']),
    symbol: Type.String(),
    caller: nullable(Type.String()),
  }),
  confidence: Type.Enum(['static', 'dynamic-dispatch', 'reflective-guess']),
  tentative: Type.Boolean(),
  hops: count,
  path: Type.Array(Type.Union([Type.String(), strict({ elided: count })])),
});

export const drift = strict({
  driftId: uuid,
  scanId: uuid,
  baseScanId: uuid,
  language,
  computedAt: instant,
  baseGraphHash: digest,
  headGraphHash: digest,
  resultDigest: digest,
  counts: strict({
    becameReachable: count,
    becameUnreachable: count,
    sinksConsidered: count,
    baseReachable: count,
    headReachable: count,
  }),
  coverage: strict({ base: coverage, head: coverage }),
  sinks: Type.Array(sink),
});

export const sinkPage = strict({ items: Type.Array(sink), total: count, offset: count, limit: count });
