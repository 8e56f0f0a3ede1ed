import { type CardChunk, chunkIdOf } from '../corpus/chunk.ts';
import type { Card, Reason } from './card.ts';
import type { Highlighter } from './highlight.ts';
import type { FusedHit } from './rank-fusion.ts';
import { summaryOf } from './summary.ts';

/** Chunks of a card that are loaded and cited. */
const MAX_CHUNKS = 4;

/** Numbers of the chunks in a card, the best first. */
export const chunkNumbersOf = ({ numbers }: FusedHit): readonly number[] => numbers.slice(0, MAX_CHUNKS);

const isChunk = <C extends CardChunk>(chunk: C | undefined): chunk is C => chunk !== undefined;

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Contribution by lane; a name known in several domains counts as one reason. */
const reasonsOf = (reason: readonly Reason[]): Reason[] => {
  const byLane = new Map<string, Reason>();
  for (const { lane, rank, contribution } of reason) {
    const known = byLane.get(lane);
    byLane.set(lane, {
      lane,
      rank: Math.min(rank, known?.rank ?? rank),
      contribution: rounded(contribution + (known?.contribution ?? 0)),
    });
  }
  return [...byLane.values()];
};

const firstOf = <T>(chunks: readonly CardChunk[], of: (chunk: CardChunk) => T | undefined): T | null => {
  for (const chunk of chunks) {
    const value = of(chunk);
    if (value !== undefined) return value;
  }
  return null;
};

export interface HydratedCard<C extends CardChunk> {
  readonly card: Card;
  readonly chunks: readonly C[];
}

/** Card of an entity; undefined where all its chunks were removed meanwhile. */
export const cardOf = <C extends CardChunk>(
  hit: FusedHit,
  loaded: ReadonlyMap<number, C>,
  highlighter: Highlighter,
): HydratedCard<C> | undefined => {
  const chunks = chunkNumbersOf(hit)
    .map((number) => loaded.get(number))
    .filter((chunk) => isChunk(chunk));
  const [best] = chunks;
  if (!best) return undefined;
  const reason = reasonsOf(hit.why);
  const card: Card = {
    entityKey: best.entityKey,
    entityType: best.entityType,
    domain: best.domain,
    title: best.title.trim() === '' ? best.entityKey : best.title,
    summary: summaryOf(best.body),
    severity: firstOf(chunks, ({ severity }) => severity),
    ecosystem: firstOf(chunks, ({ ecosystem }) => ecosystem),
    score: rounded(reason.reduce((sum, { contribution }) => sum + contribution, 0)),
    chunkIds: chunks.map(chunkIdOf),
    numbers: chunks.map(({ number }) => number),
    highlights: highlighter(best),
    why: reason,
    ref: firstOf(chunks, ({ ref }) => ref),
  };
  return { card, chunks };
};
