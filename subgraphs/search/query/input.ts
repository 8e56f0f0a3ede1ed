import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import type { CallOptions, Operation } from '@landfall/kernel/operation/operation';
import Type, { type Static } from 'typebox';
import type { LaneFilters } from '../fts/lane.ts';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';

const LONGEST_QUERY = 1_000;
export const MOST_CARDS = 50;
const FEWEST_CARDS = 1;
export const USUAL_CARDS = 10;
export const MOST_SUGGESTIONS = 20;
const MOST_VALUES = 50;

const listFilter = <const Words extends readonly [string, ...string[]]>(allowed: Words) =>
  Type.Optional(Type.Array(oneOf(...allowed), { maxItems: MOST_VALUES }));

/** Filters; an empty list does not restrict, and unknown fields are ignored (ruling 74). */
export const searchFilters = Type.Object({
  domains: listFilter(DOMAINS),
  severity: listFilter(SEVERITIES),
  ecosystem: Type.Optional(Type.Array(freeText(100), { maxItems: MOST_VALUES })),
  entityType: listFilter(ENTITY_TYPES),
  /** Excludes shared documents. */
  tenantScoped: Type.Optional(Type.Boolean()),
});

/** Input of a search. `readQuery` validates `q`, whose faults have codes of their own. */
export const searchInput = Type.Object({
  q: Type.Optional(Type.String()),
  k: Type.Optional(Type.Integer({ minimum: FEWEST_CARDS, maximum: MOST_CARDS })),
  filters: Type.Optional(searchFilters),
  includeSynthesis: Type.Optional(Type.Boolean()),
  includeDebug: Type.Optional(Type.Boolean()),
  /** The last word is still being written. */
  typing: Type.Optional(Type.Boolean()),
  sessionId: Type.Optional(Type.String({ maxLength: 200 })),
});

export type SearchInput = Static<typeof searchInput>;

export const suggestionsInput = Type.Object({
  // How many there may be is the operation's to say: its refusal has a code of its own.
  suggestions: Type.Array(Type.String()),
  filters: Type.Optional(searchFilters),
});

/** Characters that are not part of any word: controls, line separators, lone surrogates. */
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const NOTHING = /^[\p{Cc}\p{Cf}\p{Cs}\p{Z}]*$/u;

/** A text with blanks where it cannot be read. */
const readable = (text: string): string => text.replace(UNREADABLE, ' ').trim();

const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

/** Normalised query. @throws Fault query_required, query_too_long */
export const readQuery = (q: string | undefined): string => {
  const text = readable(q ?? '');
  if (NOTHING.test(text)) throw new Fault('advisoryai.validation.query_required', 'A query needs words.');
  if (isLongerThan(text, LONGEST_QUERY))
    throw new Fault('advisoryai.validation.query_too_long', `A query has at most ${LONGEST_QUERY} characters.`);
  return text;
};

export const isQuery = (text: string): boolean => !NOTHING.test(text) && !isLongerThan(readable(text), LONGEST_QUERY);

const narrowed = <T>(values: readonly T[] | undefined): readonly T[] | undefined =>
  values && values.length > 0 ? values : undefined;

/** Filters as a lane takes them. */
export const filtersOf = (given: Static<typeof searchFilters> | undefined): LaneFilters | undefined =>
  given && {
    domains: narrowed(given.domains),
    severity: narrowed(given.severity),
    ecosystem: narrowed(given.ecosystem),
    entityType: narrowed(given.entityType),
    isTenantScoped: given.tenantScoped,
  };

const readableFilters = (filters: unknown): unknown => {
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) return filters;
  // The facet that is called `domain` may be its filter's name too.
  const { domain, ...given }: Readonly<Record<string, unknown>> = { ...filters };
  return { ...given, domains: given.domains ?? domain };
};

const readableText = (value: unknown): unknown => (typeof value === 'string' ? readable(value) : value);

/** Replaces characters that PostgreSQL cannot store by blanks, before the schema would reject them. */
const readableInput = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const given: Readonly<Record<string, unknown>> = { ...raw };
  const { q, suggestions, sessionId, filters } = given;
  return {
    ...given,
    ...('q' in given && { q: readableText(q) }),
    ...('suggestions' in given && {
      suggestions: Array.isArray(suggestions) ? suggestions.map(readableText) : suggestions,
    }),
    ...('sessionId' in given && { sessionId: readableText(sessionId) }),
    ...('filters' in given && { filters: readableFilters(filters) }),
  };
};

const queryOf = (input: unknown): string | undefined => {
  const q: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'q') : undefined;
  return typeof q === 'string' ? q : undefined;
};

/** An operation that reads its texts before its schema does, and whose query is refused first, being its first field (ruling 24). */
export const withReadableInput = <Value>(operation: Operation<Value>, asksQuery: boolean): Operation<Value> => {
  const call = async (caller: Caller, raw: unknown, options?: CallOptions): Promise<Value> => {
    const input = readableInput(raw);
    try {
      return await operation(caller, input, options);
    } catch (error) {
      const [first] = error instanceof Fault ? error.fields : [];
      if (asksQuery && first && first.field !== 'q' && first.field !== '') readQuery(queryOf(input));
      throw error;
    }
  };
  return Object.assign(call, { spec: operation.spec });
};
