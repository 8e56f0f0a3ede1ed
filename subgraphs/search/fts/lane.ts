import type { Domain, EntityType, Severity } from '../domains.ts';

/** What of a chunk is indexed. `tenant` may be `*`. */
export interface IndexedChunk {
  readonly number: number;
  readonly tenant: string;
  readonly domain: Domain;
  readonly entityKey: string;
  readonly entityType: EntityType;
  readonly identifiers: readonly string[];
  readonly packages: readonly string[];
  readonly title: string;
  readonly body: string;
  readonly severity: Severity | null;
  readonly ecosystem: string | null;
}

/** A change of the corpus as the index follows it. */
export type IndexChange =
  | { readonly kind: 'put'; readonly chunk: IndexedChunk }
  | { readonly kind: 'remove'; readonly number: number };

export interface LaneFilters {
  readonly domains?: readonly Domain[] | undefined;
  readonly severity?: readonly Severity[] | undefined;
  readonly ecosystem?: readonly string[] | undefined;
  readonly entityType?: readonly EntityType[] | undefined;
  /** Leaves out what is everybody's. */
  readonly isTenantScoped?: boolean | undefined;
}

export interface LaneQuery {
  /** Whose documents are searched, beside everybody's. */
  readonly tenant: string;
  readonly text: string;
  readonly filters?: LaneFilters | undefined;
  /** Most entities a domain. */
  readonly limit: number;
  /** The last word is still being written. */
  readonly isTyping?: boolean | undefined;
  /** Names that are meant exactly, beside those that the text has. */
  readonly names?: readonly string[] | undefined;
  /** Where the text has no words, what the filters let through is told as it stands, with nothing for a score. */
  readonly isListing?: boolean | undefined;
  /** Scores every document instead of pruning: the same answer, slower. For tests. */
  readonly isExhaustive?: boolean | undefined;
}

/** An entity's best chunk in one domain. */
export interface LaneHit {
  readonly number: number;
  /** What fusion merges by: the same thing found in several domains is one card. */
  readonly entityKey: string;
  readonly score: number;
  /** Share of the query's words, by their weight, that this chunk has; 0 to 1. */
  readonly coverage: number;
  /** More chunks of the same entity in this domain, the best first, at most two. */
  readonly others: readonly number[];
}

/** One domain's answer, the best first, one hit an entity. */
export interface DomainHits {
  readonly domain: Domain;
  readonly hits: readonly LaneHit[];
}

/** How a word of the query was read. */
export interface QueryWord {
  readonly word: string;
  readonly kind: 'identifier' | 'name' | 'word';
  /** What it also stands for: typos mended, prefixes completed. The word itself is there if it is known. */
  readonly terms: readonly string[];
  readonly weight: number;
  /** No document has the word itself: whatever was found for it is a guess. */
  readonly isGuessed?: boolean | undefined;
}

export interface LaneAnswer {
  /** Chunks that the query names exactly, by domain; ahead of every fusion. */
  readonly exact: readonly DomainHits[];
  readonly domains: readonly DomainHits[];
  readonly words: readonly QueryWord[];
  /** Of the best `limit` entities of each domain: how many have each value. */
  readonly facets: Readonly<
    Record<'domain' | 'severity' | 'ecosystem' | 'entityType', Readonly<Record<string, number>>>
  >;
  readonly tookMs: number;
}

/** A place in the order of changes: search.chunks (xid, chunk_id), written `xid-chunk`. */
export type ChangeCursor = string;

export interface LaneState {
  /** `cold` until what there was at the start has been read. */
  readonly state: 'cold' | 'ready';
  readonly chunks: number;
  readonly segments: number;
  readonly cursor: ChangeCursor;
}

/** A searchable copy of the corpus. One in a process, in its worker thread; others may stand behind the same interface. */
export interface Lane extends AsyncDisposable {
  search(query: LaneQuery): Promise<LaneAnswer>;
  /** Takes changes up to `cursor`. Resolves when they can be found. */
  apply(changes: readonly IndexChange[], cursor: ChangeCursor): Promise<void>;
  /** Whether everything there was at the start has been applied: until then searches go to the database. */
  warm(): void;
  state(): LaneState;
  /** The numbers of a tenant's documents. */
  numbers(tenant: string): Promise<Float64Array>;
  /** Forgets a tenant's documents, or all: the feed then applies everything again. */
  clear(tenant?: string): Promise<void>;
  /** Writes what has been applied to disk. */
  snapshot(): Promise<void>;
}
