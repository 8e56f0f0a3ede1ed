import type { Ref, StoredChunk } from '../corpus/chunk.ts';
import type { Domain, EntityType, Severity } from '../shared/domains.ts';

export interface Highlight {
  readonly field: 'title' | 'body' | 'identifiers';
  readonly text: string;
  /** `[start, end]` in UTF-16 units of `text`. */
  readonly ranges: readonly (readonly [number, number])[];
}

export interface Reason {
  /** `identifier`, `fts:<domain>`, `vector`, `popularity`. */
  readonly lane: string;
  readonly rank: number;
  readonly contribution: number;
}

/** Search result card: an entity with its matching chunks, in the fixed shape of REST. */
export interface Card {
  readonly entityKey: string;
  readonly entityType: EntityType;
  readonly domain: Domain;
  readonly title: string;
  readonly summary: string;
  readonly severity: Severity | null;
  readonly ecosystem: string | null;
  readonly score: number;
  readonly chunkIds: readonly string[];
  /** Chunk numbers, for the graph's field `pieces`. */
  readonly numbers: readonly number[];
  readonly highlights: readonly Highlight[];
  readonly why: readonly Reason[];
  readonly ref: Ref | null;
}

export interface Facet {
  readonly name: 'domain' | 'severity' | 'ecosystem' | 'entityType';
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

export interface Diagnostics {
  readonly mode: 'hybrid' | 'fts-only';
  readonly usedVector: boolean;
  readonly durationMs: number;
  readonly servedBy: 'index' | 'database';
  readonly coverage: number;
  readonly debug?: unknown;
}

export interface Found {
  readonly query: string;
  readonly topK: number;
  readonly cards: readonly Card[];
  readonly facets: readonly Facet[];
  readonly diagnostics: Diagnostics;
  readonly chunks: ReadonlyMap<string, StoredChunk>;
}

export interface Sentence {
  readonly text: string;
  readonly citations: readonly string[];
}

/** Deterministic answer from documents, or the reason why there is none. */
export interface Synthesis {
  /** Whether no result answers the question; the sentences then name what is missing. */
  readonly abstained: boolean;
  readonly sentences: readonly Sentence[];
  /** Share of the question's words, by their weight, that the best card has; 0 to 1. */
  readonly coverage: number;
}

/** Deterministic answer with the results it rests on. */
export interface Answer {
  readonly found: Found;
  readonly synthesis: Synthesis;
}
