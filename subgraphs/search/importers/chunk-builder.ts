import type { Chunk } from '../corpus/chunk.ts';
import type { EntityType } from '../shared/domains.ts';
import { type Fields, unique } from './values.ts';

/** Maximum number of identifiers of a chunk; a document with more is about no particular one. */
export const MAX_NAMES = 200;

type Parts = readonly (string | undefined)[];

/** Fields of a chunk as readers find them: parts of the body, identifiers and attributes may be missing or repeated. */
interface Draft extends Omit<Chunk, 'part' | 'entityType' | 'entityKey' | 'body' | 'identifiers' | 'packages'> {
  readonly body: Parts;
  readonly identifiers: Parts;
  readonly packages?: readonly string[];
}

/** Drops empty members. */
export const attributesOf = (members: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );

/**
 * Creates the chunk of a whole document of an entity.
 * @param key of the entity within its type
 */
export const chunkOf = (entityType: EntityType, key: string, draft: Draft): Chunk => ({
  ...draft,
  part: 0,
  entityType,
  entityKey: `${entityType}:${key}`,
  body: draft.body.filter((part) => part !== undefined && part !== '').join('\n\n'),
  identifiers: unique(draft.identifiers).slice(0, MAX_NAMES),
  packages: draft.packages ?? [],
  attributes: attributesOf(draft.attributes ?? {}),
});

/** Joins a list for readers, shortened when it is long. */
export const listed = (words: readonly string[], most = 20): string =>
  words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} and ${words.length - most} more`;

/** First sentence or line of a text, as a title. */
export const firstSentence = (body: string): string => {
  const [line = ''] = body.replace(/^[#>*\s-]+/, '').split('\n');
  const [sentence = ''] = line.split(/(?<=[.!?])\s/);
  return sentence.length > 200 ? `${sentence.slice(0, 199).trimEnd()}…` : sentence;
};
