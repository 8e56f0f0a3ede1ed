import type { EntityIndex } from './entity-index.ts';
import type { FactsOf, Line } from './facts.ts';

/** Maximum number of lines of a timeline; older ones are dropped. */
const MAX_LINES = 80;

/** Formats an instant to the minute in UTC: `2026-01-15 09:04`. */
export const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');

/** Line without its time; a plain text has no actor. */
export type StoryLine = string | Omit<Line, 'at'>;

export const withLine = (scenario: readonly Line[], at: string, line: StoryLine): Line[] =>
  [...scenario, { at, ...(typeof line === 'string' ? { text: line } : line) }].slice(-MAX_LINES);

/** Name of an actor, marked if deactivated. Workers, deleted accounts and accounts of other tenants have none. */
export const actorName = (entities: EntityIndex, id: string | undefined): string | undefined => {
  const [person, client] = [entities.find('User', id), entities.find('Client', id)];
  const name = person?.name ?? (client && `the client ${client.name}`);
  return name === undefined ? undefined : `${name}${(person ?? client)?.isActive ? '' : ' (deactivated)'}`;
};

/** Phrase for an actor, such as ` by rosa`; empty for an unknown one. */
export const byActor = (entities: EntityIndex, id: string | undefined): string => {
  const name = actorName(entities, id);
  return name === undefined ? '' : ` by ${name}`;
};

/** `approved by rosa (1 of 2)`. */
const lineText = (entities: EntityIndex, { text, by, more = '' }: Omit<Line, 'at'>): string =>
  `${text}${byActor(entities, by)}${more}`;

/** Formats a story as text: a line each, oldest or newest first. */
export const storyOf = (
  entities: EntityIndex,
  scenario: readonly Line[],
  order: 'oldest' | 'newest' = 'oldest',
): string =>
  (order === 'oldest' ? scenario : scenario.toReversed())
    .map((line) => `${minute(line.at)} UTC: ${lineText(entities, line)}`)
    .join('\n');

/** Replaces underscores by spaces: `in_progress` is `in progress`. */
export const humanize = (word: string): string => word.replaceAll('_', ' ');

/** Joins words to a phrase: `one, two and three`. */
export const joinWords = (results: readonly string[]): string =>
  results.length < 2 ? (results[0] ?? '') : `${results.slice(0, -1).join(', ')} and ${results.at(-1)}`;

export const asSentence = (text: string): string => (/[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

export const releaseName = (entities: EntityIndex, id: string | undefined): string => {
  const release = entities.find('Release', id);
  return release ? `${release.name} ${release.semver}` : 'a release';
};

export const environmentName = (entities: EntityIndex, id: string | undefined): string =>
  entities.find('Environment', id)?.name ?? 'an environment';

export const targetName = (entities: EntityIndex, id: string | undefined): string =>
  entities.find('Target', id)?.name ?? 'a target';

export const agentName = (entities: EntityIndex, id: string | undefined): string =>
  entities.find('Agent', id)?.name ?? 'an agent';

/** Shortens a digest for reading; the whole one is an identifier. */
export const shortDigest = (digest: string): string => digest.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1');

export const componentsOf = ({ components }: FactsOf<'Release'>): string =>
  joinWords(
    components.map(
      ({ name, repository, tag, digest }) =>
        `${name} from ${repository}:${tag}${digest === null ? '' : ` at ${shortDigest(digest)}`}`,
    ),
  );

/** Exact names of a release, which only its own document has, so that it ranks before documents that mention it. */
export const releaseNames = ({ name, semver }: Pick<FactsOf<'Release'>, 'name' | 'semver'>): string[] => [
  `${name}@${semver}`,
  `${name}-${semver}`,
];

export const joinLines = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== '').join('\n');

export const withoutCredentials = (address: string): string => address.replace(/\/\/[^/@]*@/, '//');
