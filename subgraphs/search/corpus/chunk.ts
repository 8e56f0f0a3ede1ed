import type { TenantId } from '@landfall/kernel/core/ids';
import type { Domain, EntityType, Severity } from '../domains.ts';

/** Everybody's: the installation's own documents, and corpora that its operator shares with every tenant. */
export const SHARED = '*';

/** Whose a chunk is. */
export type Owner = TenantId | typeof SHARED;

/** Where a thing is: its type and id in the module that owns it. */
export interface Ref {
  readonly type: string;
  readonly id: string;
}

/** A piece of a document, as a source writes it. */
export interface Chunk {
  readonly domain: Domain;
  /** `osv`, `kev`, `findings`, `platform`, … */
  readonly source: string;
  /** The document within its source. */
  readonly documentKey: string;
  /** Which file it is from, as a hash, where the same file again takes the place of all that it said: statements of VEX. */
  readonly file?: string | undefined;
  /** From 0. */
  readonly part: number;
  readonly entityType: EntityType;
  /** `vulnerability:CVE-2024-1`: chunks of one thing, whatever their source, have the same. */
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
  /** What cards and syntheses say beside the text: `fixed`, `status`, `justification`, … */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** A chunk as it is kept. */
export interface StoredChunk extends Chunk {
  /** search.chunks.chunk_id: the index's own name for it. */
  readonly number: number;
  readonly updatedAt: Date;
}

/** What of a chunk a card shows. */
export type CardChunk = Omit<StoredChunk, 'packages' | 'uri' | 'occurredAt' | 'attributes' | 'updatedAt'>;

/** What citations name: stable across imports and rebuilds. */
export const chunkIdOf = ({ source, documentKey, part }: Pick<Chunk, 'source' | 'documentKey' | 'part'>): string =>
  part === 0 ? `${source}:${documentKey}` : `${source}:${documentKey}#${part}`;
