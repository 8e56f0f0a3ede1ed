import { Unreadable } from './reader.ts';

/** Object of a file: any member may be missing or of another type. */
export type Fields = Readonly<Record<string, unknown>>;

const EMPTY: Fields = {};

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fields = (value: unknown): Fields => (isFields(value) ? value : EMPTY);

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objects = (value: unknown): readonly Fields[] => list(value).filter(isFields);

/** Trimmed text, undefined if empty; numbers count, since YAML reads `1.5` as one. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  return trimmed === '' ? undefined : trimmed;
};

/** Distinct texts of a list, or of a single text. */
export const textsOf = (value: unknown): readonly string[] => {
  const values = Array.isArray(value) ? value : [value];
  return unique(values.map(textOf));
};

/** Distinct texts in order of first occurrence. */
export const unique = (values: readonly (string | undefined)[]): string[] =>
  [...new Set(values.filter((value) => value !== undefined && value !== ''))].flatMap((value) =>
    value === undefined ? [] : [value],
  );

export const number = (value: unknown): number | undefined => {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
};

/** Instant in a form that PostgreSQL and people can read. */
export const instant = (value: unknown): Date | undefined => {
  const text = value instanceof Date ? value.toISOString() : textOf(value);
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
};

/** Returns a mandatory text. Throws Unreadable when it is missing or has over 500 characters. */
export const required = (value: unknown, name: string): string => {
  const found = textOf(value);
  if (found === undefined) throw new Unreadable(`${name} is missing`);
  if (found.length > 500) throw new Unreadable(`${name} has ${found.length} characters, at most 500 are taken`);
  return found;
};
