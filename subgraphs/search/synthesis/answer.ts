import type { Who } from '@landfall/kernel/core/caller';
import type { Answer, Found } from '../query/card.ts';
import type { Find, SearchRequest } from '../query/query.ts';
import { compose } from './compose.ts';
import { textsOf } from './excerpts.ts';
import { folded, lexiconOf } from './lexicon.ts';
import { lookupOf, OWN_DOMAINS, type Term, type TermLookup, termsOf } from './lookup.ts';
import { subjectOf } from './subject.ts';

const MAX_READ = 24;

const isNarrowed = ({ filters }: SearchRequest): boolean =>
  Object.values(filters ?? {}).some((value) => (Array.isArray(value) ? value.length > 0 : value === true));

/** Puts the record of the question's own releases before the cards that were found. */
const withRecord = (found: Found, looked: readonly TermLookup[]): Found => {
  const record = looked.flatMap((term) => term.record);
  const keys = new Set(record.map(({ entityKey }) => entityKey));
  const unique = record.filter(
    (card, index) => record.findIndex(({ entityKey }) => entityKey === card.entityKey) === index,
  );
  return {
    ...found,
    cards: [...unique, ...found.cards.filter(({ entityKey }) => !keys.has(entityKey))].slice(0, found.topK),
    chunks: new Map([...found.chunks, ...looked.flatMap((term) => [...term.found.chunks])]),
  };
};

const LOCATION_PHRASE = /(?<![\p{L}\p{N}])(?:in|into|on|to) (?:the )?([\p{L}\p{N}][\p{L}\p{N}._-]*)/giu;

/** Environments in a question about releases that no result names: results for others are no answer. */
const unknownLocations = (found: Found): Term[] => {
  const { versioned, isStory } = subjectOf(found.query);
  if (versioned.length === 0 && !isStory) return [];
  const environments = new Set(
    [...folded(found.query).matchAll(LOCATION_PHRASE)].map(([, name = '']) => name.replace(/[._-]+$/u, '')),
  );
  const { has } = lexiconOf([...found.chunks.values()].flatMap(textsOf));
  return termsOf(found.query).filter(
    ({ text, version }) => version === undefined && environments.has(text) && !has(text),
  );
};

const lookUp = (find: Find, caller: Who, terms: readonly Term[]): Promise<TermLookup[]> =>
  Promise.all(
    terms.map(async (term) => {
      const search = { q: term.text, k: MAX_READ };
      const [own, all] = await Promise.all([
        find(caller, { ...search, filters: { domains: [...OWN_DOMAINS] } }),
        find(caller, search),
      ]);
      return lookupOf(term, own, all);
    }),
  );

/** Answers from the results; if they lack an answer or a named environment, looks up terms and known releases. */
export const answerOf = async (find: Find, caller: Who, request: SearchRequest): Promise<Answer> => {
  const found = await find(caller, request);
  const synthesis = compose(found);
  const terms = synthesis.abstained ? termsOf(found.query) : unknownLocations(found);
  if (!synthesis.abstained && terms.length === 0) return { found, synthesis };
  const looked = await lookUp(find, caller, terms);
  if (!synthesis.abstained && looked.every(({ isNamed }) => isNamed)) return { found, synthesis };
  const narrowed = isNarrowed(request);
  const complete = narrowed ? found : withRecord(found, looked);
  return { found: complete, synthesis: compose(complete, { looked, isNarrowed: narrowed }) };
};
