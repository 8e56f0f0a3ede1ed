import type { LaneFilters } from '../fts/lane.ts';
import type { EntityType, Severity } from '../shared/domains.ts';

export interface Intent {
  readonly isForKnowledge: boolean;
  /** Names that the whole question is one of, as their documents have them: `shop@1.1.0`. */
  readonly names: readonly string[];
  readonly refinements: readonly Refinement[];
}

/**
 * Refinement: words of a question interpreted as a narrower search. Its results rank first; others are not excluded.
 */
export interface Refinement {
  /** Name in `why`. */
  readonly name: 'severity' | 'ecosystem' | 'exploited' | 'waiting' | 'kind' | 'release';
  /** Words searched within the filters; empty for all that pass them. */
  readonly text: string;
  readonly filters: LaneFilters;
  /** The refinement is the whole question. */
  readonly isWhole: boolean;
  /** All words are required. */
  readonly isComplete: boolean;
}

const HOW =
  /^(?:(?:how|where) (?:do|does|can|could|should|would|to|many|much)\b|what does\b.*\b(?:mean|do)\b|what (?:is|are) the (?:settings?|commands?|routes?|scopes?|defaults?)\b|help\b)/i;
const OF_THE_PRODUCT =
  /\b(?:(?:what|which) (?:settings?|commands?|routes?|scopes?|endpoints?)\b|(?:settings?|environment variables?|error codes?|documentation|docs|readme)$)/i;

/** `shop 1.1.0`, `release shop v1.1.0`. */
const RELEASE = /^(?:(?:the )?release )?(\p{L}[\p{L}\p{N}._/-]*)(?: |@)v?(\d+(?:\.\d+)+[\p{L}\p{N}.+-]*)$/iu;

const SPOKEN_OF = /(?<![\p{L}\p{N}])(\p{L}[\p{L}\p{N}._/-]*)[ @]v?(\d+(?:\.\d+)+[\p{L}\p{N}.+-]*)/u;

const WAITING =
  /\b(?:(?:waits?|waiting)(?: for| on)?(?: (?:my|our|an|the))? approvals?|(?:needs?|awaits?|awaiting|requires?|requiring|wants?)(?: (?:my|our|an|to be))? (?:approvals?|approved|approving)|(?:pending|open|outstanding) (?:approvals?|promotions?)|(?:approvals?|promotions?) (?:are |is )?pending|to (?:be approved|approve)|not yet approved)\b/i;
const PENDING = /^pending$/i;
/** Text of documents about undecided promotions. */
const WAITING_TEXT = 'waiting for approval';

const EXPLOITED = /\b(?:known(?: to be)?|actively|already) exploited\b|\bexploited in the wild\b/i;
/** Text of entries in CISA's catalogue. */
const EXPLOITED_TEXT = 'known exploited';

const SEVERITY_WORDS: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['moderate', 'medium'],
  ['low', 'low'],
]);

/** Spellings of advisories by colloquial name. */
const ECOSYSTEM_WORDS: ReadonlyMap<string, string> = new Map([
  ['npm', 'npm'],
  ['pypi', 'PyPI'],
  ['pip', 'PyPI'],
  ['maven', 'Maven'],
  ['nuget', 'NuGet'],
  ['rubygems', 'RubyGems'],
  ['packagist', 'Packagist'],
  ['crates.io', 'crates.io'],
  ['golang', 'Go'],
]);

/** Kinds of things that people name as such. */
const KIND_WORDS: ReadonlyMap<string, EntityType> = new Map([
  ['policy', 'policy'],
  ['policies', 'policy'],
  ['release', 'release'],
  ['releases', 'release'],
  ['deployment', 'deployment'],
  ['deployments', 'deployment'],
  ['promotion', 'promotion'],
  ['promotions', 'promotion'],
  ['environment', 'environment'],
  ['environments', 'environment'],
  ['agent', 'agent'],
  ['agents', 'agent'],
]);

/** Questions about decisions and reasons. */
const DECIDED =
  /^(?:why\b|(?:who|when was .*|when were .*) (?:accepted|approved|cancelled|deprecated|halted|held|rejected|rolled|stopped)\b)|\b(?:(?:promotions?|releases?) (?:approved|rejected|cancelled|held)|(?:approved|rejected|cancelled|held) (?:promotions?|releases?))\b/i;
/** Words removed from a question about decisions: decisions name their release, not the words promotion or release. */
const DECIDED_ON = /\b(?:the )?(?:promotions?|releases?)\b/gi;

/** Nouns that follow a severity. */
const OF_SEVERITY = /^(?:severity|vulnerabilit(?:y|ies)|vulns?|cves?|advisor(?:y|ies)|findings?|issues?|flaws?)$/;
const VULNERABILITY = /^(?:vulnerabilit(?:y|ies)|vulns?|cves?|advisor(?:y|ies))$/;
/** Stop words of questions. */
const JOINING =
  /^(?:a|all|an|and|any|are|by|can|do|does|everything|find|for|from|have|i|in|is|know|known|list|me|must|my|need|needs|of|on|or|our|packages?|rated|severity|should|show|that|the|there|to|we|what|which|who|with|you)$/;

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;?!"()]+/)
    .filter((word) => word !== '');

/** A severity is one of vulnerabilities, of an ecosystem, or of another severity beside it: 'high load' is none. */
const isSeverity = (words: readonly string[], index: number): boolean => {
  if (!SEVERITY_WORDS.has(words[index] ?? '')) return false;
  const isJoined = ['and', 'or'].includes(words[index + 1] ?? '');
  const next = words[isJoined ? index + 2 : index + 1] ?? '';
  if (OF_SEVERITY.test(next) || words[index - 1] === 'severity' || ECOSYSTEM_WORDS.has(next)) return true;
  if (words.length === 1 || (words[index] === 'critical' && index === 0)) return true;
  return SEVERITY_WORDS.has(next) && isSeverity(words, isJoined ? index + 2 : index + 1);
};

const found = <T>(values: Iterable<T | undefined>): readonly T[] | undefined => {
  const some = [...new Set(values)].flatMap((value) => value ?? []);
  return some.length > 0 ? some : undefined;
};

/** Remaining words without filters and stop words. */
const restOf = (words: readonly string[], isTaken: (at: number) => boolean): string =>
  words.filter((word, index) => !isTaken(index) && !JOINING.test(word) && !OF_SEVERITY.test(word)).join(' ');

const severityRefinements = (words: readonly string[]): Refinement[] => {
  const isOfSeverity = words.map((_, index) => isSeverity(words, index));
  const severity = found(words.map((word, index) => (isOfSeverity[index] ? SEVERITY_WORDS.get(word) : undefined)));
  const ecosystem = found(words.map((word) => ECOSYSTEM_WORDS.get(word)));
  if (!severity && !ecosystem) return [];
  const text = restOf(words, (at) => isOfSeverity[at] === true || ECOSYSTEM_WORDS.has(words[at] ?? ''));
  const isComplete = text === '';
  const entityType: readonly EntityType[] | undefined =
    isComplete && words.some((word) => VULNERABILITY.test(word)) ? ['vulnerability'] : undefined;
  return [
    {
      name: severity ? 'severity' : 'ecosystem',
      text,
      filters: { severity, ecosystem, entityType },
      isWhole: isComplete,
      isComplete: false,
    },
  ];
};

/** `image policy`, `failed deployments`: restricts the entity type. */
const kindRefinements = (words: readonly string[]): Refinement[] => {
  const entityType = found(words.map((word) => KIND_WORDS.get(word)));
  if (entityType?.length !== 1) return [];
  const text = restOf(words, (at) => KIND_WORDS.has(words[at] ?? ''));
  return [{ name: 'kind', text, filters: { entityType }, isWhole: text === '', isComplete: false }];
};

const decisionRefinements = (query: string): Refinement[] =>
  DECIDED.test(query)
    ? [
        {
          name: 'kind',
          text: query.replace(DECIDED_ON, ' ').trim(),
          filters: { entityType: ['decision'] },
          isWhole: false,
          isComplete: false,
        },
      ]
    : kindRefinements(wordsOf(query));

const phraseRefinements = (
  query: string,
  phrase: RegExp,
  { name, wording, entityType }: { name: Refinement['name']; wording: string; entityType: EntityType },
): Refinement[] => {
  if (!phrase.test(query)) return [];
  const rest = restOf(wordsOf(query.replace(phrase, ' ')), () => false);
  const remaining = rest === 'promotions' || rest === 'promotion' ? '' : rest;
  return [
    {
      name,
      text: `${remaining} ${wording}`.trim(),
      filters: { entityType: [entityType] },
      isWhole: remaining === '',
      isComplete: remaining === '',
    },
  ];
};

/** Refinements by a release that the question names. */
const releaseRefinements = (query: string): Refinement[] => {
  const [text, name, version] = SPOKEN_OF.exec(query) ?? [];
  if (text === undefined) return [];
  return [
    {
      name: 'release',
      text: `${name} ${version}`,
      filters: { entityType: ['release'] },
      isWhole: false,
      isComplete: true,
    },
  ];
};

const namesIn = (query: string): string[] => {
  const [, name, version] = RELEASE.exec(query) ?? [];
  return name === undefined || version === undefined ? [] : [`${name}@${version}`];
};

/** Detects the intent of a question. Pure; the text itself is searched unchanged. */
export const readIntent = (text: string): Intent => {
  const query = text
    .replace(/\s+/g, ' ')
    .replace(/[?!.]+$/, '')
    .trim();
  const isForKnowledge = HOW.test(query) || OF_THE_PRODUCT.test(query);
  if (isForKnowledge) return { isForKnowledge, names: [], refinements: [] };
  const waiting = { name: 'waiting', wording: WAITING_TEXT, entityType: 'promotion' } as const;
  const exploited = { name: 'exploited', wording: EXPLOITED_TEXT, entityType: 'vulnerability' } as const;
  const names = namesIn(query);
  if (names.length > 0) return { isForKnowledge, names, refinements: [] };
  const named = [
    ...severityRefinements(wordsOf(query.replace(EXPLOITED, ' '))),
    ...phraseRefinements(query, EXPLOITED, exploited),
    ...phraseRefinements(query, PENDING.test(query) ? PENDING : WAITING, waiting),
  ];
  const refinements = named.length > 0 ? named : decisionRefinements(query);
  return { isForKnowledge, names, refinements: [...refinements, ...releaseRefinements(query)] };
};
