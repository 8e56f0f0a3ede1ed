import type { StoredChunk } from '../corpus/chunk.ts';
import { folded, isContent, isExact, lexiconOf, stem, wordsOf } from './lexicon.ts';

/** Question words, and words of outcomes. */
const ASKING = new Set(
  `answer ask back broke broken cause caused change changed come compare count current currently describe detail
  details did differ difference explain fail failed failing failure find found gave give given go going gone happen
  happened help history id info information know known last late latest left list long look made make many mean means
  much need needed needs new newest next now old older oldest please problem problems reason reasons recent recently
  right say says see seen show shown since state status step still story stop stopped summarise summary take taken
  tell thing things time times today trouble try use used uses using want way went work worked working wrong yesterday
  yet`.split(/\s+/),
);

/** Platform vocabulary, which does not identify a subject. */
const PLATFORM = new Set(
  `accept accepted admin advisories advisory affect affected agent agents approval approvals approve approved approver
  approves approving artifact attestation await awaiting blocked bring brought cancel cancelled canary cause component
  components critical cve cves decided decision decisions deploy deployed deploying deployment deployments deploys
  deprecate deprecated deviation deviations digest drift drifted environment environments evidence exploit exploitable
  exploited finding findings fix fixed fixes gate halt halted health held high hold image images landed launch launched
  live low medium mitigate mitigated mitigation note notes open outstanding owner package packages patch patched pending
  phase policies policy probe production promote promoted promoting promotion promotions reach ready refuse refused
  reject rejected release released releases releasing requested require required requires resume resumed roll rollback
  rollout rolled rolling run running runs sbom scan scanned scans service services severity ship shipped sign signed
  stage stages start started successful succeeded target targets unsafe update upgrade verified version versions vex
  vulnerabilities vulnerability vulnerable wait waiting waits`.split(/\s+/),
);

const askingStems = new Set([...ASKING].map(stem));
const platformStems = new Set([...PLATFORM].map(stem));

/** Questions about this platform's record. */
const STORY =
  /\b(?:approv\w+|canary|deploy\w*|drift\w*|halt\w*|happened (?:to|with)|launch\w*|promot\w+|reject\w*|roll(?:ed|ing)? ?(?:back|out)s?|rollbacks?|rollouts?|runs? (?:in|on) |status of|went wrong|why (?:did|is|was|were) .*\b(?:block|broke|cancel|delay|deprecat|down|fail|held|hold|late|pending|stop|stuck|wait)\w*)\b/i;
/** Questions of policies, vulnerabilities and documents speak of deployments too. */
const NO_STORY = /^how\b|\b(?:advisor(?:y|ies)|cves?|kyverno|polic(?:y|ies)|rego|vex|vulnerab\w+)\b/i;

/** `payments 3.1`, `payments@3.1`: a thing and its version, which belong together. */
const VERSIONED = /(?<![\p{L}\p{N}._/-])(\p{L}[\p{L}\p{N}._/-]*)(?:[ @]| version )v?(\d+(?:\.\d+)+[\p{L}\p{N}.+-]*)/giu;

/** Minimum length of a word with one or two corrected edits. */
const MIN_CORRECTED = 6;
const TWICE_WRONG = 9;
/** Weight of a word that a document contains in a corrected spelling only. */
const CORRECTED = 0.5;

/** Share of the subject's words in an answer about the platform's history: all of three, three of four. */
const STORY_SHARE = 0.75;
/** Share of the subject's words that any other answer must contain. */
const SHARE = 0.5;

export interface Subject {
  readonly words: readonly string[];
  /** Things with their versions, each one name. */
  readonly versioned: readonly (readonly [name: string, version: string])[];
  /** Whether the question is about the platform's history. */
  readonly isStory: boolean;
}

/** `lodash@4.17.15` is a name and a version; an identifier is one word. */
const withoutVersion = (word: string): string[] => {
  const [, name, version] = /^([^:@]+)@v?(\d[\p{L}\p{N}.+-]*)$/u.exec(word) ?? [];
  return name === undefined || version === undefined ? [word] : [name, version];
};

/** Whether a version may follow: stop words name nothing. */
const isName = (word: string): boolean =>
  isContent(word) && !askingStems.has(stem(word)) && !platformStems.has(stem(word));

export const subjectOf = (query: string): Subject => {
  const queryTerms = [...new Set(wordsOf(query).flatMap(withoutVersion).filter(isContent))];
  const words = queryTerms.filter(
    (word) => isExact(word) || !(askingStems.has(stem(word)) || platformStems.has(stem(word))),
  );
  const versioned = [...folded(query).matchAll(VERSIONED)].flatMap(([, name = '', version = '']): [string, string][] =>
    isName(name) ? [[name, version.replace(/[.+-]+$/u, '')]] : [],
  );
  return { words, versioned, isStory: STORY.test(query) && !NO_STORY.test(query) };
};

/** Whether the Damerau-Levenshtein distance is at most `most`. */
const isNear = (one: string, other: string, most: number): boolean => {
  if (Math.abs(one.length - other.length) > most) return false;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return (row[other.length] ?? most + 1) <= most;
};

/** Texts of a chunk that identify its subject: title, identifiers, packages. */
const headOf = ({ title, identifiers, packages }: StoredChunk): string[] => [title, ...identifiers, ...packages];

const partsOf = (text: string): string[] => wordsOf(text).flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)]);

/** Spelling of a word in a document; undefined if there is none similar. */
const spellingIn = (word: string, head: readonly string[]): string | undefined => {
  if (isExact(word) || word.length < MIN_CORRECTED) return undefined;
  const most = word.length >= TWICE_WRONG ? 2 : 1;
  return head.find((other) => other.length >= MIN_CORRECTED - 1 && other[0] === word[0] && isNear(word, other, most));
};

export interface Match {
  /** 0 to 1: its words; a corrected one counts half. */
  readonly share: number;
  readonly missing: readonly string[];
  /** Words that it has in another spelling. */
  readonly corrected: readonly (readonly [written: string, read: string])[];
}

/** Coverage of a subject by the chunks of a card; a package name is no form of a word (`weathers`, weather). */
export const matchOf = (
  { words, versioned }: Subject,
  chunks: readonly StoredChunk[],
  textsOf: (chunk: StoredChunk) => readonly string[],
): Match => {
  const lexicon = lexiconOf(chunks.flatMap(textsOf));
  const head = [...new Set(chunks.flatMap(headOf).flatMap(partsOf))];
  const parts = new Set(head);
  const names = new Set(chunks.flatMap(({ packages }) => packages).flatMap(partsOf));
  const isNameAlone = (word: string): boolean =>
    !isExact(word) &&
    !names.has(word) &&
    names.has(`${word}s`) &&
    !chunks.some(({ body }) => wordsOf(body).includes(word));
  const has = (word: string): boolean => (lexicon.has(word) || parts.has(word)) && !isNameAlone(word);
  const corrected: [string, string][] = [];
  const missing: string[] = [];
  for (const word of words) {
    if (has(word)) continue;
    const variant = spellingIn(word, head);
    if (variant === undefined) missing.push(word);
    else corrected.push([word, variant]);
  }
  const isOther = versioned.some(([name, version]) => !has(name) || !has(version));
  const found = words.length - missing.length - corrected.length * (1 - CORRECTED);
  return { share: isOther ? 0 : words.length === 0 ? 1 : found / words.length, missing, corrected };
};

/** Share of the subject's words that a document must contain to answer; the lower one if all were corrected. */
export const minimumShare = ({ isStory, words }: Subject, { corrected }: Match): number =>
  isStory && !(corrected.length > 0 && corrected.length === words.length) ? STORY_SHARE : SHARE;
