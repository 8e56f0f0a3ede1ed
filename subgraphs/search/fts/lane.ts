import type { Domain, EntityType, Severity } from '../shared/domains.ts';
import type { QueryWord } from '../text/tokens.ts';

/** Indexed fields of a chunk. `tenant` may be `*`. */
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

export type IndexChange =
  | { readonly kind: 'put'; readonly chunk: IndexedChunk }
  | { readonly kind: 'remove'; readonly number: number };

export interface LaneFilters {
  readonly domains?: readonly Domain[] | undefined;
  readonly severity?: readonly Severity[] | undefined;
  readonly ecosystem?: readonly string[] | undefined;
  readonly entityType?: readonly EntityType[] | undefined;
  /** Excludes shared documents. */
  readonly isTenantScoped?: boolean | undefined;
}

export interface LaneQuery {
  readonly tenant: string;
  readonly text: string;
  readonly filters?: LaneFilters | undefined;
  readonly limit: number;
  /** Whether the last word is incomplete because the user is typing. */
  readonly isTyping?: boolean | undefined;
  /** Exact names, in addition to those in the text. */
  readonly names?: readonly string[] | undefined;
  /** Lists what passes the filters, unscored, where the text has no words. */
  readonly isListing?: boolean | undefined;
  /** Whether to score every document without pruning: same answer, slower. For tests. */
  readonly isExhaustive?: boolean | undefined;
}

export interface LaneHit {
  readonly number: number;
  /** Key of fusion: hits of one entity in several domains become one card. */
  readonly entityKey: string;
  readonly score: number;
  /** Share of the query's words, by their weight, that this chunk has; 0 to 1. */
  readonly coverage: number;
  /** Index numbers of up to two more chunks of the entity in this domain, best first. */
  readonly others: readonly number[];
}

export interface DomainHits {
  readonly domain: Domain;
  readonly hits: readonly LaneHit[];
}

export interface LaneAnswer {
  /** Chunks that the query names exactly, by domain; ahead of every fusion. */
  readonly exact: readonly DomainHits[];
  readonly domains: readonly DomainHits[];
  readonly words: readonly QueryWord[];
  /** Counts by value over the best `limit` entities of each domain. */
  readonly facets: Readonly<
    Record<'domain' | 'severity' | 'ecosystem' | 'entityType', Readonly<Record<string, number>>>
  >;
  readonly elapsedMs: number;
}

/** Position in the order of changes, search.chunks (xid, chunk_id), as `xid-chunk`. */
export type ChangeCursor = string;

export interface LaneState {
  /** `cold` until what there was at the start has been read. */
  readonly state: 'cold' | 'ready';
  readonly chunks: number;
  readonly segments: number;
  readonly cursor: ChangeCursor;
}

/** Searchable copy of the corpus, one for each process. */
export interface Lane extends AsyncDisposable {
  search(query: LaneQuery): Promise<LaneAnswer>;
  /** Applies changes up to `cursor`. Resolves when they are searchable. */
  apply(changes: readonly IndexChange[], cursor: ChangeCursor): Promise<void>;
  /** Marks the initial load as complete; searches go to the database until then. */
  warm(): void;
  state(): LaneState;
  numbers(tenant: string): Promise<Float64Array>;
  /** Removes documents of one tenant or of all; the feed applies them again. */
  clear(tenant?: string): Promise<void>;
  snapshot(): Promise<void>;
}
