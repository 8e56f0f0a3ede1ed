import type { TenantId } from '@landfall/kernel/core/ids';
import type { Domain, EntityType, Severity } from '../shared/domains.ts';

/** Owner of documents that every tenant can find: the installation's own, and corpora that the operator shares. */
export const SHARED = '*';

export type Owner = TenantId | typeof SHARED;

export interface Ref {
  readonly type: string;
  readonly id: string;
}

/** Kind of entity that hints name when the corpus changed without an event. */
export const CHUNK = 'SearchChunk';

export interface Chunk {
  readonly domain: Domain;
  /** Name of the source of the chunk's document: `osv`, `kev`, `findings`, `platform`, … */
  readonly source: string;
  readonly documentKey: string;
  /** Hash of the file. An import of the same file replaces all of its VEX statements. */
  readonly file?: string | undefined;
  readonly part: number;
  readonly entityType: EntityType;
  /** `vulnerability:CVE-2024-1`: shared by all chunks of one entity, of any source. */
  readonly entityKey: string;
  readonly title: string;
  /** Plain text or Markdown, at most some 4,000 characters. */
  readonly body: string;
  /** Exact names: CVE, GHSA, purl, digests. The first is the one to show. */
  readonly identifiers: readonly string[];
  readonly packages: readonly string[];
  readonly severity?: Severity | undefined;
  readonly ecosystem?: string | undefined;
  readonly ref?: Ref | undefined;
  readonly uri?: string | undefined;
  readonly occurredAt?: Date | undefined;
  /** Structured facts of the chunk: `fixed`, `status`, `justification`, … */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

export interface StoredChunk extends Chunk {
  /** search.chunks.chunk_id: the index's own name for it. */
  readonly number: number;
  readonly updatedAt: Date;
}

export type CardChunk = Omit<StoredChunk, 'packages' | 'uri' | 'occurredAt' | 'attributes' | 'updatedAt'>;

/** Id in citations: stable across imports and rebuilds. */
export const chunkIdOf = ({ source, documentKey, part }: Pick<Chunk, 'source' | 'documentKey' | 'part'>): string =>
  part === 0 ? `${source}:${documentKey}` : `${source}:${documentKey}#${part}`;
