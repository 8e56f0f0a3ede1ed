import type { TenantId } from '@landfall/kernel/core/ids';
import type { CardChunk } from '../corpus/chunk.ts';
import type { LaneFilters } from '../fts/lane.ts';
import type { RankedLane } from './rank-fusion.ts';

/** Chunk with a meaning close to the query's. */
export interface VectorHit {
  readonly number: number;
  /** The nearer, the greater. */
  readonly score: number;
}

/** Vector search over a tenant's and shared chunks, nearest first. */
export interface VectorSearch {
  search(
    tenant: TenantId,
    text: string,
    limit: number,
    filters?: Pick<LaneFilters, 'isTenantScoped'>,
  ): Promise<readonly VectorHit[]>;
  activeEncoder(): 'hash' | 'onnx' | 'onnx-fallback' | 'hash-fallback';
  /** Debug information: progress and the gate's verdict. */
  state?(tenant: TenantId): unknown;
}

export const MAX_VECTORS = 30;
const POOR_COVERAGE = 0.5;
/** Weight of vector search relative to the best domain: it puts fewer correct answers first than text search does. */
const WEIGHT = 0.5;

/** Minimum cosine similarity of a hit; below it texts are unrelated. */
const MIN_SCORE = 0.3;

/** Whether vectors are searched: always with a model, otherwise where words find too little. */
export const isWanted = (vectors: VectorSearch, coverage: number): boolean => {
  const encoder = vectors.activeEncoder();
  return encoder === 'onnx' || (encoder !== 'hash-fallback' && coverage < POOR_COVERAGE);
};

const allows = <T>(allowed: readonly T[] | undefined, value: T | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value));

const passesFilters = (chunk: CardChunk, filters: LaneFilters | undefined): boolean =>
  allows(filters?.domains, chunk.domain) &&
  allows(filters?.severity, chunk.severity) &&
  allows(filters?.ecosystem, chunk.ecosystem) &&
  allows(filters?.entityType, chunk.entityType);

/** Ranked list of the nearest chunks, one per entity; undefined when empty. */
export const vectorLane = (
  hits: readonly VectorHit[],
  loaded: ReadonlyMap<number, CardChunk>,
  filters: LaneFilters | undefined,
): RankedLane | undefined => {
  const known = new Set<string>();
  const nearest = hits.flatMap(({ number, score }) => {
    const chunk = loaded.get(number);
    if (!chunk || score < MIN_SCORE || !passesFilters(chunk, filters) || known.has(chunk.entityKey)) return [];
    known.add(chunk.entityKey);
    return [{ number, entityKey: chunk.entityKey, score, coverage: 0, others: [], domain: chunk.domain }];
  });
  const [first] = nearest;
  return first && { lane: 'vector', domain: first.domain, weight: WEIGHT, hits: nearest };
};
