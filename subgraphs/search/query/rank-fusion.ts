import type { DomainHits, LaneAnswer, LaneHit } from '../fts/lane.ts';
import type { Domain } from '../shared/domains.ts';
import type { Reason } from './card.ts';

export interface RankedLane {
  /** Name in `why`: `fts:vex`, `vector`. */
  readonly lane: string;
  /** Domain of a card for which this lane contributed most. */
  readonly domain: Domain;
  readonly weight: number;
  readonly hits: readonly LaneHit[];
}

export interface FusedHit {
  readonly entityKey: string;
  readonly domain: Domain;
  /** Contributions, largest first; their sum is the score. */
  readonly why: readonly Reason[];
  readonly score: number;
  /** The best of its hits'; 0 to 1. */
  readonly coverage: number;
  /** Its chunks, the best lane's first. */
  readonly numbers: readonly number[];
}

/** Flattens the ranks: the tenth of a list still counts three quarters of the first. */
const RANK_OFFSET = 30;
/** Exponent of the relative coverage of a domain's best hit in its weight. */
const COVERAGE_POWER = 3;
/** Ranks exact names before all other hits. */
const EXACT_WEIGHT = 100;
/** Weight of a document that mentions an exact name: less than the entity with that name. */
const EXACT_KNOWLEDGE = 40;
/** Weight of the knowledge domain relative to tenant results: below the fortieth hit of a full match. */
const EXTRA_WEIGHT = 0.25;
/** Weight of the knowledge domain for a question about documentation. */
const KNOWLEDGE_WEIGHT = 3;
/** The tenant's own answers where it has as much of the words, as a share of what documents have. */
const ANSWERED = 0.6;

/** Weights of domains whose best hits match equally many query words: a release ranks before what mentions it. */
const DOMAIN_WEIGHTS: Readonly<Record<Domain, number>> = {
  findings: 1,
  vex: 1,
  policy: 1,
  release: 1.05,
  scanner: 1,
  graph: 1,
  timeline: 1,
  opsmemory: 1,
  knowledge: 1,
};

/** Score times coverage: a hit with most query words ranks before one that repeats a few of them. */
const worthOf = ({ score, coverage }: LaneHit): number => score * coverage;

const byWorth = (a: LaneHit, b: LaneHit): number => worthOf(b) - worthOf(a);

/** Knowledge is ranked apart from a tenant's own data. */
const isKnowledge = ({ domain }: Pick<DomainHits, 'domain'>): boolean => domain === 'knowledge';

const coverOf = (found: readonly DomainHits[]): number =>
  Math.max(0, ...found.map(({ hits }) => hits[0]?.coverage ?? 0));

/** Weight of knowledge, and the coverage that domains are compared with. */
const knowledgeWeight = (found: readonly DomainHits[], isForKnowledge: boolean): { share: number; own: number } => {
  const own = coverOf(found.filter((one) => !isKnowledge(one)));
  const documents = coverOf(found.filter(isKnowledge));
  if (isForKnowledge) return { share: KNOWLEDGE_WEIGHT, own: Math.max(own, documents) };
  return own < ANSWERED * documents ? { share: 1, own: documents } : { share: EXTRA_WEIGHT, own };
};

/** Weighs domains by relative coverage; knowledge ranks below tenant data unless asked for or alone in matching. */
const ranked = (found: readonly DomainHits[], isForKnowledge: boolean): RankedLane[] => {
  const sorted = found.map(({ domain, hits }) => ({ domain, hits: hits.toSorted(byWorth) }));
  const { share, own } = knowledgeWeight(sorted, isForKnowledge);
  const most = Math.max(own, Number.EPSILON);
  return sorted.map((one) => ({
    lane: `fts:${one.domain}`,
    domain: one.domain,
    weight:
      DOMAIN_WEIGHTS[one.domain] *
      (isKnowledge(one) ? share : 1) *
      Math.min(1, coverOf([one]) / most) ** COVERAGE_POWER,
    hits: one.hits,
  }));
};

const exactly = ({ domain, hits }: DomainHits): RankedLane => ({
  lane: 'identifier',
  domain,
  weight: isKnowledge({ domain }) ? EXACT_KNOWLEDGE : EXACT_WEIGHT,
  hits,
});

interface Gathered {
  readonly lane: RankedLane;
  readonly hit: LaneHit;
  readonly reason: Reason;
}

/** Names of lanes and domains are plain: their units are their order. */
const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byContribution = (a: Gathered, b: Gathered): number =>
  b.reason.contribution - a.reason.contribution ||
  byName(a.reason.lane, b.reason.lane) ||
  byName(a.lane.domain, b.lane.domain);

const gatheredAt = (lane: RankedLane, index: number): Gathered[] => {
  const hit = lane.hits[index];
  if (!hit) return [];
  const contribution = lane.weight / (RANK_OFFSET + index + 1);
  return [{ lane, hit, reason: { lane: lane.lane, rank: index + 1, contribution } }];
};

/** Entity during fusion: its score so far and its ranks. */
interface Candidate {
  readonly entityKey: string;
  /** Added up in the order of the lists: near to its score. */
  sum: number;
  /** Alternating lane and rank. */
  readonly places: number[];
}

const fusedOf = ({ entityKey, places: positions }: Candidate, lanes: readonly RankedLane[]): FusedHit | undefined => {
  const gathered: Gathered[] = [];
  for (let i = 0; i < positions.length; i += 2) {
    const lane = lanes[positions[i] ?? 0];
    if (lane) gathered.push(...gatheredAt(lane, positions[i + 1] ?? 0));
  }
  const sorted = gathered.sort(byContribution);
  const [best] = sorted;
  return (
    best && {
      entityKey,
      domain: best.lane.domain,
      why: sorted.map(({ reason }) => reason),
      score: sorted.reduce((sum, { reason }) => sum + reason.contribution, 0),
      coverage: Math.min(1, Math.max(...sorted.map(({ hit }) => hit.coverage))),
      numbers: [...new Set([...sorted.map(({ hit }) => hit.number), ...sorted.flatMap(({ hit }) => hit.others)])],
    }
  );
};

const candidatesOf = (lanes: readonly RankedLane[]): Candidate[] => {
  const byEntity = new Map<string, Candidate>();
  for (const [laneIndex, { hits, weight }] of lanes.entries())
    for (const [at, { entityKey }] of hits.entries()) {
      const contribution = weight / (RANK_OFFSET + at + 1);
      const known = byEntity.get(entityKey);
      if (known) {
        known.sum += contribution;
        known.places.push(laneIndex, at);
      } else byEntity.set(entityKey, { entityKey, sum: contribution, places: [laneIndex, at] });
    }
  return [...byEntity.values()];
};

/** Far more than the order of adding up makes of a sum, as a share of it. */
const ROUNDING = 1e-9;

/** Candidates that may enter the result; others are not built in full. */
const promising = (candidates: readonly Candidate[], limit: number): readonly Candidate[] => {
  if (candidates.length <= limit || limit < 1) return candidates;
  const sums = Float64Array.from(candidates, ({ sum }) => sum).sort();
  const least = (sums[sums.length - limit] ?? 0) * (1 - ROUNDING);
  return candidates.filter(({ sum }) => sum >= least);
};

/** Fuses ranked lists by reciprocal rank, in any order; an entity in several lists gets the sum. */
export const fuseLanes = (lanes: readonly RankedLane[], limit: number): FusedHit[] =>
  promising(candidatesOf(lanes), limit)
    .flatMap((candidate) => fusedOf(candidate, lanes) ?? [])
    .sort((a, b) => b.score - a.score || (a.entityKey < b.entityKey ? -1 : 1))
    .slice(0, limit);

/** Best `limit` entities by weighted reciprocal rank; `isForKnowledge` if the question is about documentation. */
export const fuse = (
  { exact, domains }: Pick<LaneAnswer, 'exact' | 'domains'>,
  limit: number,
  others: readonly RankedLane[] = [],
  isForKnowledge = false,
): FusedHit[] => fuseLanes([...exact.map(exactly), ...ranked(domains, isForKnowledge), ...others], limit);
