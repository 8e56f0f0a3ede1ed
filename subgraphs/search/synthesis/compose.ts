import type { StoredChunk } from '../corpus/chunk.ts';
import type { Card, Found, Sentence, Synthesis } from '../query/card.ts';
import { chunksOf, contentTermsOf, listed, sentence, textsOf, titleOf } from './excerpts.ts';
import { folded, isExact, lexiconOf, stem } from './lexicon.ts';
import { denialOf, lookupOf, OWN_DOMAINS, shortfallOf, type TermLookup, termsOf } from './lookup.ts';
import { aboutThing, policySentences, statementSentences, vulnerabilitySentences } from './sentences.ts';
import { type Match, matchOf, minimumShare, type Subject, subjectOf } from './subject.ts';

const MIN_COVERAGE = 0.5;
const LONE_COVERAGE = 0.75;
const MAX_CARDS = 3;
const MAX_READ = 6;
const MAX_SENTENCES = 8;
const MAX_STATEMENTS = 3;

/** An identifier that can only mean one thing. */
const ONE_THING = /^(?:cve-\d{4}-\d{4,}|ghsa(?:-[0-9a-z]{4}){3}|sha256:[0-9a-f]{64}|pkg:.+)$/iu;

const isExactHit = ({ why: reason }: Card): boolean => reason.some(({ lane }) => lane === 'identifier');

const mentions = (found: Found, card: Card, queryTerms: readonly string[]): boolean => {
  if (isExactHit(card) || card.highlights.some(({ ranges }) => ranges.length > 0)) return true;
  const lexicon = lexiconOf(chunksOf(found, [card]).flatMap(textsOf));
  return queryTerms.some(lexicon.has);
};

/** Whether the best card, or several cards, cover the question. */
const isCovered = (found: Found, best: Card, queryTerms: readonly string[]): boolean => {
  const { coverage } = found.diagnostics;
  if (isExactHit(best) || coverage >= LONE_COVERAGE) return true;
  return coverage >= MIN_COVERAGE && found.cards.filter((card) => mentions(found, card, queryTerms)).length > 1;
};

/** Domains with the platform's own history and state. */
const OWN_RECORD: ReadonlySet<string> = new Set(OWN_DOMAINS);

/** Whether a versioned name is a package: then advisories of any version answer. */
const isPackage = (found: Found, { versioned }: Subject): boolean =>
  chunksOf(found, found.cards).some(({ packages }) =>
    packages.some((name) => versioned.some(([queryTerms]) => folded(name) === queryTerms)),
  );

/** The same, of whichever version. */
const withoutVersions = (subject: Subject): Subject => {
  const versions = new Set(subject.versioned.map(([, version]) => version));
  return { ...subject, versioned: [], words: subject.words.filter((word) => !versions.has(word.replace(/^v/, ''))) };
};

/** Best match of a card with a subject; the platform's history and releases are only on its own record. */
const bestMatch = (found: Found, subject: Subject): { readonly match: Match; readonly isEnough: boolean } => {
  const isOwn = subject.isStory || (subject.versioned.length > 0 && !isPackage(found, subject));
  const cards = isOwn ? found.cards.filter(({ domain }) => OWN_RECORD.has(domain)) : found.cards.slice(0, MAX_READ);
  const queryTerms = isOwn ? subject : withoutVersions(subject);
  const matches = cards.map((card) => matchOf(queryTerms, chunksOf(found, [card]), textsOf));
  const none: Match = { share: 0, missing: subject.words, corrected: [] };
  const match = matches.reduce((best, one) => (one.share > best.share ? one : best), matches[0] ?? none);
  return { match, isEnough: match.share >= minimumShare(subject, match) };
};

const isLacking = (found: Found, queryTerms: readonly string[], subject: Subject): boolean => {
  const { cards } = found;
  const [best] = cards;
  const chunks = chunksOf(found, cards);
  if (!best || best.score <= 0 || chunks.length === 0) return true;
  const lexicon = lexiconOf(chunks.flatMap(textsOf));
  if (queryTerms.some((word) => ONE_THING.test(word) && !lexicon.has(word))) return true;
  if (!isExactHit(best) && subject.words.length > 0 && !bestMatch(found, subject).isEnough) return true;
  return !isCovered(found, best, queryTerms);
};

/** Words as they were written, the first four. */
const quoted = ({ query }: Found, words: readonly string[]): string => {
  const written = query.split(/\s+/u);
  return listed(words.slice(0, 4).map((word) => `“${written.find((each) => folded(each) === word) ?? word}”`));
};

/** States corrected words before the answer. */
const readAs = (
  found: Found,
  corrected: readonly (readonly [written: string, read: string])[],
  best: StoredChunk | undefined,
): Sentence[] =>
  best === undefined
    ? []
    : corrected
        .slice(0, 2)
        .map(([written, read]) => sentence(`${quoted(found, [written])} is read as “${read}”`, best));

const adviceFor = (queryTerms: readonly string[]): string =>
  queryTerms.some(isExact)
    ? 'Check the spelling, take a filter away, or import the source that has it.'
    : 'Try fewer words, an identifier such as a CVE, or the name of a package.';

const abstain = (found: Found, lack: string, queryTerms: readonly string[]): Synthesis => {
  const [nearest] = chunksOf(found, found.cards.slice(0, 1));
  return {
    abstained: true,
    coverage: coverageOf(found),
    sentences: [
      { text: lack, citations: [] },
      ...(nearest ? [sentence(`The nearest document is ${titleOf(nearest)}`, nearest)] : []),
      { text: adviceFor(queryTerms), citations: [] },
    ],
  };
};

const coverageOf = ({ diagnostics }: Found): number => Math.min(1, Math.max(0, diagnostics.coverage || 0));

/** Query words of questions that a VEX statement answers. */
const AFFECTED = new Set(['affected', 'vulnerable', 'exploitable', 'impacted', 'vex', 'safe'].map(stem));

const sourceSentences = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): Sentence[] => {
  if (chunk.domain === 'policy') return policySentences(chunk, queryTerms);
  return chunk.entityType === 'vulnerability'
    ? vulnerabilitySentences(chunk, queryTerms)
    : aboutThing(chunk, queryTerms);
};

/** Sentences of a card: definition, VEX status, rest; the status first if asked. */
const cardSentences = (found: Found, card: Card, queryTerms: ReadonlySet<string>): Sentence[] => {
  const chunks = chunksOf(found, [card]);
  const others = chunks.filter(({ domain }) => domain !== 'vex');
  // The first chunk of a source matched best; its other parts repeat its title.
  const sources = others.filter((chunk, index) => others.findIndex(({ source }) => source === chunk.source) === index);
  const about = sources.flatMap((chunk) => sourceSentences(chunk, queryTerms));
  const statements = chunks
    .filter(({ domain }) => domain === 'vex')
    .slice(0, MAX_STATEMENTS)
    .flatMap(statementSentences);
  const before = queryTerms.isDisjointFrom(AFFECTED) ? 1 : 0;
  return [...about.slice(0, before), ...statements, ...about.slice(before)];
};

/** Round-robin over cards within MOST_SENTENCES, returned card by card. */
const shared = (perCard: readonly (readonly Sentence[])[]): Sentence[] => {
  const selected = perCard.map(() => 0);
  for (
    let remaining = MAX_SENTENCES, at = 0;
    remaining > 0 && perCard.some((all, i) => all.length > (selected[i] ?? 0));
    at++
  ) {
    const turn = at % perCard.length;
    if ((perCard[turn]?.length ?? 0) <= (selected[turn] ?? 0)) continue;
    selected[turn] = (selected[turn] ?? 0) + 1;
    remaining -= 1;
  }
  return perCard.flatMap((all, i) => all.slice(0, selected[i]));
};

const onceEach = (perCard: readonly (readonly Sentence[])[]): Sentence[][] => {
  const ids = new Set<string>();
  return perCard.map((sentences) =>
    sentences.filter(({ text }) => {
      const isNew = !ids.has(text);
      ids.add(text);
      return isNew;
    }),
  );
};

const shareOf = (found: Found, card: Card, queryTerms: readonly string[]): number => {
  const lexicon = lexiconOf(chunksOf(found, [card]).flatMap(textsOf));
  return queryTerms.length === 0 ? 0 : queryTerms.filter(lexicon.has).length / queryTerms.length;
};

/** Order of cards: as found, but records before general documents where they cover as much of the question. */
const ordered = (found: Found, cards: readonly Card[], queryTerms: readonly string[]): Card[] => {
  const isGeneral = ({ domain }: Card): boolean => domain === 'knowledge';
  const near = cards.slice(0, MAX_READ);
  if (!near.some(isGeneral) || near.every(isGeneral)) return [...cards];
  const shares = new Map(near.map((card) => [card, shareOf(found, card, queryTerms)]));
  const general = Math.max(...near.filter(isGeneral).map((card) => shares.get(card) ?? 0));
  const first = near.filter(
    (card) => !isGeneral(card) && (shares.get(card) ?? 0) >= Math.min(LONE_COVERAGE, general) && shares.get(card) !== 0,
  );
  return [...first, ...cards.filter((card) => !first.includes(card))];
};

/** Results of looking up each term of a question alone. */
interface Lookup {
  readonly looked: readonly TermLookup[];
  /** Whether filters restrict the search, so that results beyond them do not count. */
  readonly isNarrowed: boolean;
}

const lookupIn = (found: Found): Lookup => ({
  looked: termsOf(found.query).map((term) => lookupOf(term, found)),
  isNarrowed: true,
});

/** Documents about the releases that a question names, those matching most of it first. */
const recordOf = (found: Found, queryTerms: readonly string[], { looked, isNarrowed }: Lookup): Card[] => {
  if (isNarrowed) return [];
  const keys = new Set(looked.flatMap(({ record }) => record).map(({ entityKey }) => entityKey));
  const cards = found.cards.filter(({ entityKey }) => keys.has(entityKey));
  const shares = new Map(cards.map((card) => [card, shareOf(found, card, queryTerms)]));
  return cards.toSorted((one, other) => (shares.get(other) ?? 0) - (shares.get(one) ?? 0));
};

const sentencesOf = (found: Found, cards: readonly Card[], queryTerms: readonly string[]): Sentence[] => {
  const stems = new Set(queryTerms.map(stem));
  const announcement = onceEach(cards.slice(0, MAX_READ).map((card) => cardSentences(found, card, stems)));
  const perCard = announcement.filter(({ length }) => length > 0).slice(0, MAX_CARDS);
  const [best] = chunksOf(found, cards.slice(0, 1));
  return perCard.length > 0 || !best ? shared(perCard) : [sentence(titleOf(best), best)];
};

/**
 * Composes an answer from search results, or an abstention. Deterministic: no model, no clock, no facts beyond the
 * chunks.
 * @param lookup results for the terms of a question without an answer; only terms that it did not find are reported
 * as missing
 */
export const compose = (found: Found, lookup?: Lookup): Synthesis => {
  const queryTerms = contentTermsOf(found.query);
  const subject = subjectOf(found.query);
  if (lookup !== undefined || isLacking(found, queryTerms, subject)) {
    const known = lookup ?? lookupIn(found);
    const denial = denialOf(found.query, known.looked);
    const record = denial === undefined ? recordOf(found, queryTerms, known) : [];
    if (record.length > 0)
      return { abstained: false, coverage: coverageOf(found), sentences: sentencesOf(found, record, queryTerms) };
    return abstain(found, denial ?? shortfallOf(found.query, known.looked), queryTerms);
  }
  const exact = found.cards.filter(isExactHit);
  const cards = exact.length > 0 ? exact : ordered(found, found.cards, queryTerms);
  const [best] = chunksOf(found, cards.slice(0, 1));
  const { corrected } = matchOf(subject, chunksOf(found, cards.slice(0, 1)), textsOf);
  return {
    abstained: false,
    coverage: coverageOf(found),
    sentences: [...readAs(found, corrected, best), ...sentencesOf(found, cards, queryTerms)],
  };
};
