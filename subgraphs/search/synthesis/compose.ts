import type { StoredChunk } from '../corpus/chunk.ts';
import type { Card, Found } from '../query/card.ts';
import { askedOf, listed, type Sentence, sentence, textsOf, titleOf } from './facts.ts';
import { aboutPolicy, aboutStatement, aboutThing, aboutVulnerability } from './sentences.ts';
import { folded, isExact, lexiconOf, wordsOf } from './words.ts';

export type { Sentence } from './facts.ts';

/** An answer put together from documents, or why there is none. The same documents give the same answer. */
export interface Synthesis {
  /** Nothing found speaks to the question: the sentences say what is missing and what to try. */
  readonly abstained: boolean;
  readonly sentences: readonly Sentence[];
  /** Share of the question's words, by their weight, that the best card has; 0 to 1. */
  readonly coverage: number;
}

/** Below it the best card misses more of the question than it has. */
const LEAST_COVERAGE = 0.5;
/** Below it one document alone is not enough. */
const LONE_COVERAGE = 0.75;
const MOST_CARDS = 3;
const MOST_SENTENCES = 8;
const MOST_STATEMENTS = 3;

/** An identifier that can only mean one thing. */
const ONE_THING = /^(?:cve-\d{4}-\d{4,}|ghsa(?:-[0-9a-z]{4}){3}|sha256:[0-9a-f]{64}|pkg:.+)$/iu;

const isChunk = (chunk: StoredChunk | undefined): chunk is StoredChunk => chunk !== undefined;

const chunksOf = ({ chunks }: Found, cards: readonly Card[]): StoredChunk[] =>
  cards.flatMap(({ chunkIds }) => chunkIds.map((id) => chunks.get(id))).filter(isChunk);

const isExactHit = ({ why }: Card): boolean => why.some(({ lane }) => lane === 'identifier');

const speaksOf = (found: Found, card: Card, asked: readonly string[]): boolean => {
  if (isExactHit(card) || card.highlights.some(({ ranges }) => ranges.length > 0)) return true;
  const lexicon = lexiconOf(chunksOf(found, [card]).flatMap(textsOf));
  return asked.some(lexicon.has);
};

/** What keeps the cards from being an answer; nothing if they are one. */
const lackOf = (found: Found, asked: readonly string[]): string | undefined => {
  const { cards, diagnostics } = found;
  const lexicon = lexiconOf(chunksOf(found, cards).flatMap(textsOf));
  const missing = asked.filter((word) => !lexicon.has(word));
  const strangers = missing.filter((word) => ONE_THING.test(word));
  const [best] = cards;
  if (strangers.length > 0) return `No document names ${quoted(found, strangers)}.`;
  if (!best || best.score <= 0 || chunksOf(found, cards).length === 0)
    return missing.length > 0 ? `No document names ${quoted(found, missing)}.` : 'No document was found.';
  if (isExactHit(best)) return undefined;
  const isCovered =
    diagnostics.coverage >= LONE_COVERAGE ||
    (diagnostics.coverage >= LEAST_COVERAGE && cards.filter((card) => speaksOf(found, card, asked)).length > 1);
  if (isCovered) return undefined;
  if (missing.length > 0) return `No document names ${quoted(found, missing)}.`;
  return `No document speaks of ${quoted(found, asked)} together.`;
};

/** Words as they were written, the first four. */
const quoted = ({ query }: Found, words: readonly string[]): string => {
  const written = query.split(/\s+/u);
  return listed(words.slice(0, 4).map((word) => `“${written.find((each) => folded(each) === word) ?? word}”`));
};

const adviceFor = (asked: readonly string[]): string =>
  asked.some(isExact)
    ? 'Check the spelling, take a filter away, or import the source that has it.'
    : 'Try fewer words, an identifier such as a CVE, or the name of a package.';

const abstain = (found: Found, lack: string, asked: readonly string[]): Synthesis => {
  const [nearest] = chunksOf(found, found.cards.slice(0, 1));
  return {
    abstained: true,
    coverage: coverageOf(found),
    sentences: [
      { text: lack, citations: [] },
      ...(nearest ? [sentence(`The nearest document is ${titleOf(nearest)}`, nearest)] : []),
      { text: adviceFor(asked), citations: [] },
    ],
  };
};

const coverageOf = ({ diagnostics }: Found): number => Math.min(1, Math.max(0, diagnostics.coverage || 0));

const speakOf = (found: Found, card: Card, asked: ReadonlySet<string>): Sentence[] => {
  const chunks = chunksOf(found, [card]);
  const statements = chunks.filter(({ domain }) => domain === 'vex');
  const others = chunks.filter(({ domain }) => domain !== 'vex');
  // Of one source the first chunk is the one that matched best; its other parts repeat its title.
  const sources = others.filter((chunk, at) => others.findIndex(({ source }) => source === chunk.source) === at);
  return [
    ...sources.flatMap((chunk) => {
      if (chunk.domain === 'policy') return aboutPolicy(chunk, asked);
      return chunk.entityType === 'vulnerability' ? aboutVulnerability(chunk, asked) : aboutThing(chunk, asked);
    }),
    ...statements.slice(0, MOST_STATEMENTS).flatMap(aboutStatement),
  ];
};

/** Sentences in turn from each card, so that the first does not take all the room; told card by card. */
const shared = (perCard: readonly (readonly Sentence[])[]): Sentence[] => {
  const taken = perCard.map(() => 0);
  for (let left = MOST_SENTENCES, at = 0; left > 0 && perCard.some((all, i) => all.length > (taken[i] ?? 0)); at++) {
    const turn = at % perCard.length;
    if ((perCard[turn]?.length ?? 0) <= (taken[turn] ?? 0)) continue;
    taken[turn] = (taken[turn] ?? 0) + 1;
    left -= 1;
  }
  return perCard.flatMap((all, i) => all.slice(0, taken[i]));
};

const once = (sentences: readonly Sentence[]): Sentence[] =>
  sentences.filter(({ text }, at) => sentences.findIndex((each) => each.text === text) === at);

/** An answer from what was found, or an abstention: no model, no clock, nothing that its chunks do not say. */
export const compose = (found: Found): Synthesis => {
  const asked = askedOf(found.query);
  const lack = lackOf(found, asked);
  if (lack !== undefined) return abstain(found, lack, asked);
  const named = found.cards.filter(isExactHit);
  const cards = (named.length > 0 ? named : found.cards).slice(0, MOST_CARDS);
  const words = new Set(wordsOf(found.query));
  const perCard = cards.map((card) => once(speakOf(found, card, words)));
  return { abstained: false, coverage: coverageOf(found), sentences: once(shared(perCard)) };
};
