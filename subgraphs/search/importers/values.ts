import { Unreadable } from './reader.ts';

/** An object of a file: anything may be missing and anything may be of another type. */
export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = {};

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fields = (value: unknown): Fields => (isFields(value) ? value : NOTHING);

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

/** A point in time that PostgreSQL and people know. */
export const instant = (value: unknown): Date | undefined => {
  const written = value instanceof Date ? value.toISOString() : textOf(value);
  if (written === undefined || !/^\d{4}-\d{2}-\d{2}/.test(written)) return undefined;
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? undefined : date;
};

/** Returns a mandatory text. Throws Unreadable when it is missing or has over 500 characters. */
export const required = (value: unknown, what: string): string => {
  const found = textOf(value);
  if (found === undefined) throw new Unreadable(`${what} is missing`);
  if (found.length > 500) throw new Unreadable(`${what} has ${found.length} characters, at most 500 are taken`);
  return found;
};
