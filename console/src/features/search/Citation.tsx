import type { Card } from '../../lib/search.ts';
import { t } from './labels.ts';
import styles from './Search.module.css';

type Source = {
  /** Number of its card, from 1; undefined where the card is not on the page. */
  readonly number: number | undefined;
  readonly anchor: string;
  readonly name: string;
  readonly entityKey: string | undefined;
};

/** Finds the sources of a sentence among the cards, and shows one of them. */
export type Sources = {
  readonly of: (chunkIds: readonly string[]) => readonly Source[];
  readonly light: (entityKey: string) => void;
};

export const anchorOf = (chunkId: string): string => `chunk-${encodeURIComponent(chunkId)}`;

/** Sources of chunks among the cards, each card once; a chunk without a card has its own name. */
export function citedSources(cards: readonly Card[], chunkIds: readonly string[]): readonly Source[] {
  const found = new Map<string, Source>();
  for (const chunkId of chunkIds) {
    const at = cards.findIndex((card) => card.chunkIds.includes(chunkId));
    const card = cards[at];
    const key = card?.entityKey ?? chunkId;
    if (!found.has(key))
      found.set(key, {
        number: card === undefined ? undefined : at + 1,
        anchor: anchorOf(chunkId),
        name: card?.title ?? chunkId,
        entityKey: card?.entityKey,
      });
  }
  return [...found.values()];
}

type CitationProps = { readonly source: Source; readonly light: Sources['light'] };

/** Chip that leads to the card a sentence rests on. */
export function Citation({ source: { number, anchor, name, entityKey }, light }: CitationProps) {
  if (number === undefined || entityKey === undefined)
    return (
      <span className={styles.cite} title={name}>
        {t('search.cite.elsewhere')}
      </span>
    );
  return (
    <a
      className={styles.cite}
      href={`#${anchor}`}
      aria-label={t('search.cite', { n: number, name })}
      onClick={(event) => {
        event.preventDefault();
        light(entityKey);
      }}
    >
      {number}
    </a>
  );
}
