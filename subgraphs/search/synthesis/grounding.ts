import type { StoredChunk } from '../corpus/chunk.ts';
import type { Sentence } from '../query/card.ts';
import { attributeTexts, textsOf } from './excerpts.ts';
import { denies, folded, isContent, lexiconOf, wordsOf } from './lexicon.ts';

/** The documents that a model was given, by the names under which it may cite them. */
export type Citable = ReadonlyMap<string, { readonly id: string; readonly chunk: StoredChunk }>;

/** Words that introduce a source; they make no claim. */
const SPEECH = new Set(
  `according additionally advisory advisories document documents describe describes described also however therefore
  report reports reported say says said state states stated mention mentions mentioned note notes information question
  answer source sources provided based well may namely specifically thus known called named include includes including
  following given regarding concerning version versions`.split(/\s+/),
);

/** Whether an advisory names affected packages. */
const isAdvisory = ({ entityType, domain, packages }: StoredChunk): boolean =>
  entityType === 'vulnerability' && domain !== 'vex' && packages.length > 0;

/** Facts implied by a chunk's type: field names, and that a vulnerability affects its packages. */
const kindOf = (chunk: StoredChunk): string => {
  const { entityType, domain, packages, severity, attributes = {} } = chunk;
  return [
    entityType,
    domain,
    ...Object.keys(attributes),
    ...(severity ? ['severity'] : []),
    ...(packages.length > 0 ? ['package'] : []),
    ...(isAdvisory(chunk) ? ['affects', 'vulnerable'] : []),
  ].join(' ');
};

const CITATION = /\[([^\][]{1,600})\]/gu;

/** Names inside one pair of brackets: `[1, 2]`, `[osv:CVE-1]`, `[documents 1 and 2]`. */
const namesIn = (inner: string, citable: Citable): string[] | undefined => {
  if (citable.has(inner.trim())) return [inner.trim()];
  const names = inner
    .split(/[,;\s]+/u)
    .map((name) => name.replace(/^#/u, ''))
    .filter((name) => !/^(?:documents?|doc|sources?|and|&|)$/iu.test(name));
  return names.length > 0 && names.every((name) => citable.has(name)) ? names : undefined;
};

const AFFECTED = /\b(?:affect(?:s|ed)?|vulnerable|exploitable|impact(?:s|ed)?)\b/iu;

const FIXED_IN =
  /\b(?:fixed|patched|resolved|solved)\s+(?:in|by|with|since|from)\s+(?:versions?\s+)?v?(?<version>\d[\w.+-]*)/giu;
const BEFORE = /\b(?:before|prior|earlier|older|below|until|up to|less|under)\b|</iu;

/** Whether a sentence swaps fixed and affected versions. */
const mistakesVersion = (text: string, fixed: readonly string[]): boolean => {
  if (fixed.length === 0) return false;
  const claimed = [...text.matchAll(FIXED_IN)].map(({ groups }) => (groups?.version ?? '').replace(/[.+-]+$/u, ''));
  if (claimed.length > 0) return claimed.some((version) => !fixed.includes(version));
  const tokens = new Set(wordsOf(text).map((word) => word.replace(/^v(?=\d)/u, '')));
  return AFFECTED.test(text) && !BEFORE.test(text) && fixed.some((version) => tokens.has(version));
};

/** Reversed VEX status, the worst error: words alone would not reveal it. */
const contradicts = (text: string, { chunk }: { readonly chunk: StoredChunk }): boolean => {
  const [status] = attributeTexts(chunk, 'status');
  if (isAdvisory(chunk)) return AFFECTED.test(text) && denies(text);
  if (status === 'not_affected' || status === 'fixed')
    return AFFECTED.test(text) && !denies(text) && !/\bfixed\b/iu.test(text);
  return status === 'affected' && AFFECTED.test(text) && denies(text);
};

const NAMED = /\b(?:cve-\d{4}-\d{4,}|ghsa(?:-[0-9a-z]{4}){3})\b/giu;
/** Imported domains, whose documents describe their own subject only. */
const IMPORTED: ReadonlySet<string> = new Set(['findings', 'vex', 'policy']);

/** Whether a document may support a named vulnerability: guides never, advisories their own. */
const maySpeak = (text: string, { domain, identifiers }: StoredChunk): boolean => {
  const names = text.match(NAMED)?.map(folded) ?? [];
  if (domain === 'knowledge') return names.length === 0 && !AFFECTED.test(text);
  const own = new Set(identifiers.map(folded));
  return !IMPORTED.has(domain) || names.every((name) => own.has(name));
};

/** Whether one document supports all words of a sentence, and its negation. */
const holds = (text: string, content: readonly string[], { chunk }: { readonly chunk: StoredChunk }): boolean => {
  if (!maySpeak(text, chunk) || mistakesVersion(text, attributeTexts(chunk, 'fixed'))) return false;
  const lexicon = lexiconOf([...textsOf(chunk), kindOf(chunk)]);
  return content.every(lexicon.has) && (!denies(text) || lexicon.denies);
};

/**
 * Grounded form of a model's sentence: one cited document contains every name, number and content word and agrees on
 * negation, since a combination of documents could be false. No cited document contradicts it. Undefined otherwise.
 */
export const ground = (source: string, citable: Citable): Sentence | undefined => {
  const cited = new Set<string>();
  for (const [, inner = ''] of source.matchAll(CITATION)) {
    const names = namesIn(inner, citable);
    // A name that no document contains is invented, so the sentence is, too.
    if (!names) return undefined;
    for (const name of names) cited.add(name);
  }
  const documents = [...cited].flatMap((name) => citable.get(name) ?? []);
  const text = source
    .replace(CITATION, '')
    .replace(/\s+([.,;:!?…])/gu, '$1')
    .replace(/^\s*(?:[-*•]|\d+[.)])\s+/u, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const content = wordsOf(text).filter((word) => isContent(word) && !SPEECH.has(word));
  if (documents.length === 0 || content.length === 0) return undefined;
  if (!documents.some((document) => holds(text, content, document))) return undefined;
  if (documents.some((document) => contradicts(text, document))) return undefined;
  return { text, citations: [...new Set(documents.map(({ id }) => id))] };
};
