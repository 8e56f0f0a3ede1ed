import { DOMAINS, type Domain, isDomain } from '../shared/domains.ts';
import { SegmentBuilder } from './builder.ts';
import type { IndexChange, IndexedChunk, LaneAnswer, LaneQuery } from './lane.ts';
import { isRemoved, type LiveSegment, liveCountOf, liveSegmentOf, removedSince, removeNumber } from './live-segment.ts';
import { mergeSegments, planMerge } from './merge.ts';
import { answerQuery, type Visible } from './query.ts';
import type { Segment } from './segment.ts';

/** Owner of shared documents (corpus/chunk.ts). */
const SHARED = '*';

/** Segments of the changes, and the numbers whose older versions are obsolete. */
interface Batch {
  readonly segments: readonly Segment[];
  readonly numbers: Float64Array;
}

/** Builds segments from changes: one per tenant and domain, with the last change of each number. */
export const buildBatch = (changes: readonly IndexChange[]): Batch => {
  const last = new Map<number, IndexedChunk | undefined>();
  for (const change of changes) {
    // A repeated number takes its later position.
    const number = change.kind === 'put' ? change.chunk.number : change.number;
    last.delete(number);
    last.set(number, change.kind === 'put' ? change.chunk : undefined);
  }
  const builders = new Map<string, SegmentBuilder>();
  for (const chunk of last.values()) {
    if (!chunk) continue;
    const key = `${chunk.domain} ${chunk.tenant}`;
    const builder = builders.get(key) ?? new SegmentBuilder();
    builders.set(key, builder);
    builder.add(chunk);
  }
  return {
    segments: [...builders.values()].map((builder) => builder.finish()),
    numbers: Float64Array.from(last.keys()),
  };
};

/**
 * Segments by tenant and domain, in the calling thread. A search visits those of its tenant and the shared ones only.
 */
export class SearchIndex {
  readonly #tenants = new Map<string, Map<Domain, LiveSegment[]>>();
  readonly #now: () => number;
  #added: LiveSegment[] = [];
  #dropped: number[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Applies changes synchronously in this thread. */
  apply(changes: readonly IndexChange[]): void {
    this.install(buildBatch(changes));
  }

  /** Installs segments that another thread built and deletes older entries of the same chunk numbers. */
  install({ segments, numbers }: Batch): void {
    for (const live of this.segments()) for (const number of numbers) removeNumber(live, number);
    for (const segment of segments) this.add(liveSegmentOf(segment));
    this.#dropEmpty();
  }

  add(live: LiveSegment): void {
    const { tenant, domain } = live.segment;
    if (!isDomain(domain)) return;
    const domains = this.#tenants.get(tenant) ?? new Map<Domain, LiveSegment[]>();
    this.#tenants.set(tenant, domains);
    domains.set(domain, [...(domains.get(domain) ?? []), live]);
    this.#added.push(live);
  }

  /** Next worthwhile merge of segments; undefined if there is none. */
  plan(fan?: number): readonly LiveSegment[] | undefined {
    for (const domains of this.#tenants.values())
      for (const segments of domains.values()) {
        const sources = planMerge(segments, fan);
        if (sources) return sources;
      }
    return undefined;
  }

  /** Replaces `sources` by their merge. @param before deletion bits at the start of the merge */
  replace(sources: readonly LiveSegment[], merged: Segment, before: readonly Uint8Array[]): void {
    const known = new Set(this.segments());
    // A tenant that was cleared meanwhile stays empty.
    if (!sources.every((source) => known.has(source))) return;
    const live = liveSegmentOf(merged);
    sources.forEach((source, i) => {
      for (const number of removedSince(source, before[i])) removeNumber(live, number);
    });
    for (const source of sources) this.#drop(source);
    if (liveCountOf(live) > 0) this.add(live);
  }

  /** Merges synchronously until no merge is due; with `isComplete`, until each domain of a tenant is one segment. */
  settle(isComplete = false): void {
    const next = (): readonly LiveSegment[] | undefined => (isComplete ? this.#several() : this.plan());
    for (let sources = next(); sources; sources = next()) {
      const before = sources.map(({ removed }) => removed.slice());
      this.replace(sources, mergeSegments(sources), before);
    }
  }

  #several(): readonly LiveSegment[] | undefined {
    for (const domains of this.#tenants.values())
      for (const segments of domains.values())
        if (segments.length > 1 || segments.some(({ removedCount }) => removedCount > 0)) return segments;
    return undefined;
  }

  #dropEmpty(): void {
    for (const live of this.segments()) if (liveCountOf(live) === 0) this.#drop(live);
  }

  #drop(live: LiveSegment): void {
    const { tenant, domain } = live.segment;
    const domains = this.#tenants.get(tenant);
    if (!domains || !isDomain(domain)) return;
    const remaining = (domains.get(domain) ?? []).filter((other) => other !== live);
    this.#dropped.push(live.id);
    if (remaining.length > 0) domains.set(domain, remaining);
    else domains.delete(domain);
    if (domains.size === 0) this.#tenants.delete(tenant);
  }

  segments(): LiveSegment[] {
    return [...this.#tenants.values()].flatMap((domains) => [...domains.values()].flat());
  }

  /** Segments added and dropped since the last call. */
  drainChanges(): { readonly added: readonly LiveSegment[]; readonly dropped: readonly number[] } {
    const changes = { added: this.#added, dropped: this.#dropped };
    this.#added = [];
    this.#dropped = [];
    return changes;
  }

  get documents(): number {
    return this.segments().reduce((sum, live) => sum + liveCountOf(live), 0);
  }

  search(query: LaneQuery): LaneAnswer {
    const started = this.#now();
    return answerQuery(query, this.#visible(query), () => this.#now() - started);
  }

  #visible({ tenant, filters }: LaneQuery): Visible {
    const own = this.#tenants.get(tenant);
    const shared = tenant === SHARED || filters?.isTenantScoped ? undefined : this.#tenants.get(SHARED);
    const visible = new Map<Domain, readonly LiveSegment[]>();
    for (const domain of DOMAINS) {
      const segments = [...(own?.get(domain) ?? []), ...(shared?.get(domain) ?? [])];
      if (segments.length > 0) visible.set(domain, segments);
    }
    return visible;
  }

  numbersOf(tenant: string): Float64Array {
    const lives = [...(this.#tenants.get(tenant)?.values() ?? [])].flat();
    const numbers = new Float64Array(lives.reduce((sum, live) => sum + liveCountOf(live), 0));
    let index = 0;
    for (const { segment, removed } of lives)
      segment.columns.numbers.forEach((number, doc) => {
        if (!isRemoved(removed, doc)) numbers[index++] = number;
      });
    return numbers;
  }

  clear(tenant?: string): void {
    for (const live of this.segments()) if (tenant === undefined || live.segment.tenant === tenant) this.#drop(live);
  }
}
