// Corpus of any size that resembles a real one. A document is a real document in which every word that is rare in its
// source is replaced by one drawn from the source's rare words, each as often as documents have it: lengths, term
// frequencies and document frequencies stay, sentences lose their sense. Names of vulnerabilities are renumbered in
// each round over the documents, the same way in all of them, so that findings and statements of one vulnerability
// still belong together.

import { wordsIn } from './corpus-statistics.ts';
import type { BenchDocument } from './search-documents.ts';
import { hashOf, type Random, randomOf } from './search-random.ts';

export const CORPUS_SEED = 'landfall-corpus-1';

/** Share of a source's documents above which a word belongs to its style and is kept. */
const COMMON_SHARE = 0.05;
const REDRAWS = 4;
const NAME = /\b(?:CVE|GHSA|GO|PYSEC|OSVDB|SUSE-SU|RUSTSEC)-[A-Za-z0-9:-]*[A-Za-z0-9]/g;

/** Words of a source's documents that may be replaced. */
interface SourceWords {
  readonly common: ReadonlySet<string>;
  /** Rare words, each as often as documents have it. */
  readonly rare: readonly string[];
}

const textOf = ({ title, body }: BenchDocument): string => `${title} ${body}`.replaceAll(NAME, ' ');

const namesOf = ({ identifiers, packages }: BenchDocument): ReadonlySet<string> =>
  new Set([...identifiers, ...packages].flatMap(wordsIn));

const frequenciesOf = (documents: Iterable<BenchDocument>): Map<string, number> => {
  const frequencies = new Map<string, number>();
  for (const document of documents) {
    for (const word of new Set(wordsIn(textOf(document)))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  return frequencies;
};

const sourceWordsOf = (documents: readonly BenchDocument[]): SourceWords => {
  const frequencies = frequenciesOf(documents);
  const common = new Set<string>();
  for (const [word, count] of frequencies) if (count >= documents.length * COMMON_SHARE) common.add(word);
  const rare = documents.flatMap((document) => {
    const names = namesOf(document);
    return [...new Set(wordsIn(textOf(document)))].filter((word) => !common.has(word) && !names.has(word));
  });
  return { common, rare };
};

/** Returns four letters of the alphabet of GHSA ids. */
const lettersOf = (text: string): string => {
  const LETTERS = '23456789cfghjmpqrvwx';
  const hash = hashOf(text);
  return [1, 20, 400, 8_000].map((unit) => LETTERS[Math.floor(hash / unit) % 20]).join('');
};

/** Replaces the numbers in identifiers, so that no two are equal within a round or between rounds. */
const renamer = (round: number) => {
  return (name: string): string => {
    if (name.startsWith('GHSA-'))
      return `GHSA-${[1, 2, 3].map((part) => lettersOf(`${name} ${round} ${part}`)).join('-')}`;
    const renamed = name.replace(/\d+(?!.*\d)/, (digits) => `${round + 1}${digits.padStart(6, '0')}`);
    return renamed === name ? `${name}-${round + 1}` : renamed;
  };
};

const rewrite = (text: string, exchanged: (word: string) => string, rename: (name: string) => string): string => {
  let from = 0;
  let written = '';
  const sourceWords = (part: string): string => part.replaceAll(/[A-Za-z0-9]+/g, (word) => exchanged(word));
  for (const match of text.matchAll(NAME)) {
    written += sourceWords(text.slice(from, match.index)) + rename(match[0]);
    from = match.index + match[0].length;
  }
  return written + sourceWords(text.slice(from));
};

interface Frame {
  readonly document: BenchDocument;
  readonly words: SourceWords;
}

const draw = ({ document, words: sourceWords }: Frame, round: number, random: Random): BenchDocument => {
  const rename = renamer(round);
  const names = namesOf(document);
  const drawn = new Map<string, string>();
  const usedIds = new Set<string>();
  const newWord = (): string => {
    let word = random.pick(sourceWords.rare);
    for (let attempts = 0; usedIds.has(word) && attempts < REDRAWS; attempts++) word = random.pick(sourceWords.rare);
    usedIds.add(word);
    return word;
  };
  const exchanged = (word: string): string => {
    const lower = word.toLowerCase();
    if (sourceWords.common.has(lower) || names.has(lower)) return word;
    return drawn.getOrInsertComputed(lower, newWord);
  };
  const [kind, name = ''] = document.entityKey.split(/:(.*)/s);
  return {
    ...document,
    documentKey: `${document.documentKey}~${round}`,
    entityKey: `${kind}:${rename(name)}`,
    identifiers: document.identifiers.map(rename),
    title: rewrite(document.title, exchanged, rename),
    body: rewrite(document.body, exchanged, rename),
  };
};

/** Generates `count` documents without duplicates. */
export const generateDocuments = function* (
  real: readonly BenchDocument[],
  count: number,
  seed: string = CORPUS_SEED,
): Generator<BenchDocument> {
  const frames = [...Map.groupBy(real, ({ source }) => source).values()].flatMap((documents): Frame[] => {
    const sourceWords = sourceWordsOf(documents);
    return sourceWords.rare.length === 0 ? [] : documents.map((document) => ({ document, words: sourceWords }));
  });
  const random = randomOf(seed);
  const seenHashes = new Set<string>();
  // Two hashes of 32 bits: among a million texts the chance of a collision is one in forty million.
  const isNew = ({ title, body, packages }: BenchDocument): boolean => {
    const text = [title, body, ...packages].join('\n');
    const mark = `${hashOf(text)} ${hashOf(`${text}\n`)}`;
    if (seenHashes.has(mark)) return false;
    seenHashes.add(mark);
    return true;
  };
  const step = stepThrough(frames.length);
  for (let index = 0, written = 0; written < count; index++) {
    const frame = frames[(index * step) % frames.length];
    const round = Math.floor(index / frames.length);
    if (!frame) throw new RangeError('nothing to generate from');
    const document = draw(frame, round, random);
    if (!isNew(document)) continue;
    written++;
    yield document;
  }
};

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));

/**
 * Step that visits each of `size` positions, far from the previous one, so that a small corpus has documents of every
 * source.
 */
const stepThrough = (size: number): number => {
  let step = Math.max(1, Math.floor(size * 0.618));
  while (commonDivisor(step, size) !== 1) step++;
  return step;
};

/** Compares word frequencies of generated and real documents by decile of the vocabulary, rarest first. */
export const decilesOf = (real: readonly BenchDocument[], generated: Iterable<BenchDocument>): number[] => {
  let count = 0;
  const counted = function* (): Generator<BenchDocument> {
    for (const document of generated) {
      count++;
      yield document;
    }
  };
  const found = frequenciesOf(counted());
  const sourceWords = [...frequenciesOf(real)].sort((a, b) => a[1] - b[1]);
  return Array.from({ length: 10 }, (_, decile) => {
    const some = sourceWords.slice((decile * sourceWords.length) / 10, ((decile + 1) * sourceWords.length) / 10);
    const existing = some.reduce((sum, [, frequency]) => sum + frequency, 0) / real.length;
    const own = some.reduce((sum, [word]) => sum + (found.get(word) ?? 0), 0) / count;
    return own / existing;
  });
};
