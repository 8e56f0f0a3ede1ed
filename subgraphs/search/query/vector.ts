import type { TenantId } from '@landfall/kernel/core/ids';
import type { CardChunk } from '../corpus/chunk.ts';
import type { LaneFilters } from '../fts/lane.ts';
import type { RankedLane } from './fusion.ts';

/** A chunk that means something like the query. */
export interface VectorHit {
  readonly number: number;
  /** The nearer, the greater. */
  readonly score: number;
}

/** What a query asks of the lane of vectors: chunks of the tenant, and everybody's unless they are left out, the nearest first. */
export interface VectorSearch {
  search(
    tenant: TenantId,
    text: string,
    limit: number,
    filters?: Pick<LaneFilters, 'isTenantScoped'>,
  ): Promise<readonly VectorHit[]>;
  activeEncoder(): 'hash' | 'onnx' | 'onnx-fallback' | 'hash-fallback';
  /** How far a tenant's vectors are and what the quality gate says, for debugging. */
  state?(tenant: TenantId): unknown;
}

/** Chunks that are asked for. */
export const MOST_VECTORS = 30;
/** Below it words alone have found too little. */
const POOR_COVERAGE = 0.5;
/** Its say beside the best domain's: meaning alone puts fewer right answers on top than words do. */
const WEIGHT = 0.5;

/** Cosines below it are of texts that have nothing in common: a query that nothing speaks of is to find nothing. */
const LEAST_SCORE = 0.3;

/** Whether vectors take part: always where a model makes them, otherwise where words find too little. */
export const isWanted = (vectors: VectorSearch, coverage: number): boolean => {
  const encoder = vectors.activeEncoder();
  return encoder === 'onnx' || (encoder !== 'hash-fallback' && coverage < POOR_COVERAGE);
};

const allows = <T>(allowed: readonly T[] | undefined, value: T | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value));

/** Whether a chunk is one of those that were asked for. */
const isAskedFor = (chunk: CardChunk, filters: LaneFilters | undefined): boolean =>
  allows(filters?.domains, chunk.domain) &&
  allows(filters?.severity, chunk.severity) &&
  allows(filters?.ecosystem, chunk.ecosystem) &&
  allows(filters?.entityType, chunk.entityType);

/** The nearest chunks as a lane, one an entity; nothing where none is left. */
export const vectorLane = (
  hits: readonly VectorHit[],
  loaded: ReadonlyMap<number, CardChunk>,
  filters: LaneFilters | undefined,
): RankedLane | undefined => {
  const known = new Set<string>();
  const nearest = hits.flatMap(({ number, score }) => {
    const chunk = loaded.get(number);
    if (!chunk || score < LEAST_SCORE || !isAskedFor(chunk, filters) || known.has(chunk.entityKey)) return [];
    known.add(chunk.entityKey);
    return [{ number, entityKey: chunk.entityKey, score, coverage: 0, others: [], domain: chunk.domain }];
  });
  const [first] = nearest;
  return first && { lane: 'vector', domain: first.domain, weight: WEIGHT, hits: nearest };
};
