import { isStorable } from '@landfall/kernel/core/storable';

/** An object of a document: any field may be missing, and any may be of another type. */
export type Fields = Readonly<Record<string, unknown>>;

/** Part of a document that was not read, and why. */
export interface Problem {
  /** Path inside the document, such as `affected[2].ranges[0]`; empty for the document itself. */
  readonly path: string;
  readonly reason: string;
}

/** Reports part of a document that was not read. */
export type Report = (path: string, reason: string) => void;

/** Collects problems. */
export const createReport = (): { readonly problems: readonly Problem[]; readonly report: Report } => {
  const problems: Problem[] = [];
  return { problems, report: (path, reason) => void problems.push({ path, reason }) };
};

/** A document that is not of the format, or lacks what identifies it. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

/** Refuses a document with text that PostgreSQL does not take. Throws UnreadableDocument. */
export const refuseUnstorable = (document: unknown): void => {
  const rest = [document];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string' && !isStorable(value))
      throw new UnreadableDocument('it has NUL or half of a surrogate pair in a text');
    if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) rest.push(key, each);
  }
};

const NOTHING: Fields = {};

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fields = (value: unknown): Fields => (isFields(value) ? value : NOTHING);

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objects = (value: unknown): readonly Fields[] => list(value).filter(isFields);

/** Trimmed text; null for an empty one and for any other type: a version that a parser read as a number lost digits. */
export const textOf = (value: unknown): string | null => {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  return trimmed === '' ? null : trimmed;
};

/** Distinct values in the order of their first occurrence, without null. */
export const unique = (values: readonly (string | null)[]): readonly string[] => [
  ...new Set(values.filter((value) => value !== null)),
];

/** Distinct texts of a list. */
export const textsOf = (value: unknown): readonly string[] => unique(list(value).map(textOf));

/** Parses a JSON document that is one object. Throws UnreadableDocument. */
export const parseJsonObject = (text: string): Fields => {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (isFields(value)) return value;
  } catch (error) {
    throw new UnreadableDocument(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UnreadableDocument('it is not a JSON object');
};

/**
 * RFC 3339 time in UTC with milliseconds; null for a text that is no time. A bare date is its first second, an offset may
 * lack its colon.
 */
export const timeOf = (value: unknown): string | null => {
  const [, date, time = 'T00:00:00', offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:([Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:?\d\d)?)?$/.exec(textOf(value) ?? '') ??
    [];
  if (date === undefined) return null;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const parsed = new Date(`${date}${time.replace(/^[t ]/, 'T')}${zone}`);
  return Number.isNaN(parsed.getTime()) ? null : parsed.toISOString();
};

/** Date that a feed gives itself, in whole seconds rounded down, as a manifest states it. */
export const feedDateOf = (value: unknown): string | null => timeOf(value)?.replace(/\.\d+Z$/, 'Z') ?? null;
