import type { Chunk } from '../corpus/chunk.ts';
import { splitChunk } from '../corpus/chunking.ts';
import type { PutCounts } from '../corpus/corpus.ts';
import type { Rejection, SkippedFile } from '../importers/reader.ts';
import { createDeduplicator } from './deduplicator.ts';
import type * as store from './imports.store.ts';

const MAX_REJECTIONS = 1_000;
/** Documents or characters buffered before a write. */
const BATCH = { documents: 400, characters: 2_000_000 } as const;

/** Counts the outcomes of an import and remembers keys, so that repeats are detected. */
export class ImportTally {
  documents = 0;
  written = 0;
  chunks = 0;
  added = 0;
  changed = 0;
  unchanged = 0;
  refused = 0;
  removed = 0;
  skipped = 0;
  repeated = 0;
  readonly refusals: Rejection[] = [];
  readonly sources = new Set<string>();
  readonly skippedFiles: SkippedFile[] = [];
  readonly reasons = new Map<string, number>();
  /** Files that were read to their ends. */
  readonly files = new Set<string>();
  readonly #distinct = createDeduplicator();

  refuse(refusal: Rejection): void {
    this.refused += 1;
    if (this.refusals.length < MAX_REJECTIONS) this.refusals.push(refusal);
  }

  leave(remaining: SkippedFile): void {
    this.skipped += 1;
    this.reasons.set(remaining.reason, (this.reasons.get(remaining.reason) ?? 0) + 1);
    if (this.skippedFiles.length < MAX_REJECTIONS) this.skippedFiles.push(remaining);
  }

  /** Returns the document to store, or nothing for a repetition, and records its source. */
  countChunk(document: Chunk): readonly Chunk[] {
    this.sources.add(document.source);
    const counted = this.#distinct.admit(document);
    if (counted) return [counted];
    this.repeated += 1;
    return [];
  }

  add(chunks: readonly Chunk[], { documents, added, changed, unchanged, removed }: PutCounts): void {
    this.documents += chunks.length;
    this.written += documents;
    this.chunks += chunks.reduce((sum, chunk) => sum + splitChunk(chunk).length, 0);
    this.added += added;
    this.changed += changed;
    this.unchanged += unchanged;
    this.removed += removed;
  }

  get counts(): store.ImportCounts {
    const { documents, chunks, refused, removed } = this;
    return { documents, chunks, refused, removed };
  }
}

export class WriteBuffer {
  chunks: Chunk[] = [];
  #characters = 0;

  /** @returns whether it is time to write them */
  add(chunks: readonly Chunk[]): boolean {
    this.chunks.push(...chunks);
    for (const { title, body } of chunks) this.#characters += title.length + body.length;
    return this.chunks.length >= BATCH.documents || this.#characters >= BATCH.characters;
  }

  drain(): Chunk[] {
    const { chunks } = this;
    this.chunks = [];
    this.#characters = 0;
    return chunks;
  }
}
