import type { StoredChunk } from '../corpus/chunk.ts';
import { type Sentence, said, textsOf } from './facts.ts';
import { denies, isContent, lexiconOf, wordsOf } from './words.ts';

/** The documents that a model was given, by the names under which it may cite them. */
export type Citable = ReadonlyMap<string, { readonly id: string; readonly chunk: StoredChunk }>;

/** Words by which documents are spoken of; they claim nothing. */
const SPEECH = new Set(
  `according additionally advisory advisories document documents describe describes described also however therefore
  report reports reported say says said state states stated mention mentions mentioned note notes information question
  answer source sources provided based well may namely specifically thus known called named include includes including
  following given regarding concerning version versions`.split(/\s+/),
);

/** What a chunk says by what it is: its fields' names, and that a vulnerability affects the packages it names. */
const kindOf = ({ entityType, domain, packages, severity, attributes = {} }: StoredChunk): string =>
  [
    entityType,
    domain,
    ...Object.keys(attributes),
    ...(severity ? ['severity'] : []),
    ...(packages.length > 0 ? ['package'] : []),
    ...(packages.length > 0 && entityType === 'vulnerability' && domain !== 'vex' ? ['affects', 'vulnerable'] : []),
  ].join(' ');

const CITATION = /\[([^\][]{1,600})\]/gu;

/** Names inside one pair of brackets: `[1, 2]`, `[osv:CVE-1]`, `[documents 1 and 2]`. */
const namesIn = (inside: string, citable: Citable): string[] | undefined => {
  if (citable.has(inside.trim())) return [inside.trim()];
  const names = inside
    .split(/[,;\s]+/u)
    .map((name) => name.replace(/^#/u, ''))
    .filter((name) => !/^(?:documents?|doc|sources?|and|&|)$/iu.test(name));
  return names.length > 0 && names.every((name) => citable.has(name)) ? names : undefined;
};

const AFFECTED = /\b(?:affected|vulnerable|exploitable|impacted)\b/iu;

/** A VEX statement's status, turned round, is the worst error there is: words alone would not show it. */
const contradicts = (text: string, { chunk }: { readonly chunk: StoredChunk }): boolean => {
  const [status] = said(chunk, 'status');
  if (status === 'not_affected' || status === 'fixed')
    return AFFECTED.test(text) && !denies(text) && !/\bfixed\b/iu.test(text);
  return status === 'affected' && AFFECTED.test(text) && denies(text);
};

/**
 * A model's sentence as it may be shown: it cites documents that it was given, and every name, number and word of
 * content stands in the documents that it cites, with no denial that they do not have. Anything else is undefined.
 */
export const ground = (written: string, citable: Citable): Sentence | undefined => {
  const cited = new Set<string>();
  for (const [, inside = ''] of written.matchAll(CITATION)) {
    const names = namesIn(inside, citable);
    // A name that was not given is made up; so is then what it stands behind.
    if (!names) return undefined;
    for (const name of names) cited.add(name);
  }
  const documents = [...cited].flatMap((name) => citable.get(name) ?? []);
  const text = written
    .replace(CITATION, '')
    .replace(/\s+([.,;:!?…])/gu, '$1')
    .replace(/^\s*(?:[-*•]|\d+[.)])\s+/u, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const content = wordsOf(text).filter((word) => isContent(word) && !SPEECH.has(word));
  if (documents.length === 0 || content.length === 0) return undefined;
  const lexicon = lexiconOf(documents.flatMap(({ chunk }) => [...textsOf(chunk), kindOf(chunk)]));
  if (!content.every(lexicon.has)) return undefined;
  if ((denies(text) && !lexicon.denies) || documents.some((document) => contradicts(text, document))) return undefined;
  return { text, citations: [...new Set(documents.map(({ id }) => id))] };
};
