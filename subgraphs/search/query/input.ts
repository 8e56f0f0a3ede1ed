import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import type { CallOptions, Operation } from '@landfall/kernel/operation/operation';
import Type, { type Static } from 'typebox';
import type { LaneFilters } from '../fts/lane.ts';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';

const MAX_QUERY_LENGTH = 1_000;
export const MAX_CARDS = 50;
const MIN_CARDS = 1;
export const USUAL_CARDS = 10;
export const MAX_SUGGESTIONS = 20;
const MAX_VALUES = 50;

const listFilter = <const Words extends readonly [string, ...string[]]>(allowed: Words) =>
  Type.Optional(Type.Array(oneOf(...allowed), { maxItems: MAX_VALUES }));

/** Filters; an empty list does not restrict, and unknown fields are ignored (ruling 74). */
export const searchFilters = Type.Object({
  domains: listFilter(DOMAINS),
  severity: listFilter(SEVERITIES),
  ecosystem: Type.Optional(Type.Array(freeText(100), { maxItems: MAX_VALUES })),
  entityType: listFilter(ENTITY_TYPES),
  /** Excludes shared documents. */
  tenantScoped: Type.Optional(Type.Boolean()),
});

/** Input of a search. `readQuery` validates `q`, whose faults have codes of their own. */
export const searchInput = Type.Object({
  q: Type.Optional(Type.String()),
  k: Type.Optional(Type.Integer({ minimum: MIN_CARDS, maximum: MAX_CARDS })),
  filters: Type.Optional(searchFilters),
  includeSynthesis: Type.Optional(Type.Boolean()),
  includeDebug: Type.Optional(Type.Boolean()),
  /** The last word is still being written. */
  typing: Type.Optional(Type.Boolean()),
  sessionId: Type.Optional(Type.String({ maxLength: 200 })),
});

export type SearchInput = Static<typeof searchInput>;

export const suggestionsInput = Type.Object({
  // The operation limits their number: its refusal has a code of its own.
  suggestions: Type.Array(Type.String()),
  filters: Type.Optional(searchFilters),
});

/** Characters that are not part of any word: controls, line separators, lone surrogates. */
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const EMPTY = /^[\p{Cc}\p{Cf}\p{Cs}\p{Z}]*$/u;

/** A text with blanks where it cannot be read. */
const readable = (text: string): string => text.replace(UNREADABLE, ' ').trim();

const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

/** Normalised query. @throws Fault query_required, query_too_long */
export const readQuery = (q: string | undefined): string => {
  const text = readable(q ?? '');
  if (EMPTY.test(text)) throw new Fault('advisoryai.validation.query_required', 'A query needs words.');
  if (isLongerThan(text, MAX_QUERY_LENGTH))
    throw new Fault('advisoryai.validation.query_too_long', `A query has at most ${MAX_QUERY_LENGTH} characters.`);
  return text;
};

export const isQuery = (text: string): boolean => !EMPTY.test(text) && !isLongerThan(readable(text), MAX_QUERY_LENGTH);

const narrowed = <T>(values: readonly T[] | undefined): readonly T[] | undefined =>
  values && values.length > 0 ? values : undefined;

/** Converts filters of the input to those of a lane. */
export const filtersOf = (input: Static<typeof searchFilters> | undefined): LaneFilters | undefined =>
  input && {
    domains: narrowed(input.domains),
    severity: narrowed(input.severity),
    ecosystem: narrowed(input.ecosystem),
    entityType: narrowed(input.entityType),
    isTenantScoped: input.tenantScoped,
  };

const readableFilters = (filters: unknown): unknown => {
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) return filters;
  // The filter may also be named like its facet, `domain`.
  const { domain, ...fields }: Readonly<Record<string, unknown>> = { ...filters };
  return { ...fields, domains: fields.domains ?? domain };
};

const readableText = (value: unknown): unknown => (typeof value === 'string' ? readable(value) : value);

/** Replaces characters that PostgreSQL cannot store by blanks, before the schema would reject them. */
const readableInput = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const overrides: Readonly<Record<string, unknown>> = { ...raw };
  const { q, suggestions, sessionId, filters } = overrides;
  return {
    ...overrides,
    ...('q' in overrides && { q: readableText(q) }),
    ...('suggestions' in overrides && {
      suggestions: Array.isArray(suggestions) ? suggestions.map(readableText) : suggestions,
    }),
    ...('sessionId' in overrides && { sessionId: readableText(sessionId) }),
    ...('filters' in overrides && { filters: readableFilters(filters) }),
  };
};

const queryOf = (input: unknown): string | undefined => {
  const q: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'q') : undefined;
  return typeof q === 'string' ? q : undefined;
};

/**
 * Wraps an operation so that its texts are read before its schema, and its query, the first field, is refused first
 * (ruling 24).
 */
export const withReadableInput = <Value>(operation: Operation<Value>, requiresQuery: boolean): Operation<Value> => {
  const call = async (caller: Caller, raw: unknown, options?: CallOptions): Promise<Value> => {
    const input = readableInput(raw);
    try {
      return await operation(caller, input, options);
    } catch (error) {
      const [first] = error instanceof Fault ? error.fields : [];
      if (requiresQuery && first && first.field !== 'q' && first.field !== '') readQuery(queryOf(input));
      throw error;
    }
  };
  return Object.assign(call, { spec: operation.spec });
};
