import { parse, TomlDate, TomlError } from 'smol-toml';
import { Unreadable } from './reader.ts';
import { type Fields, fields } from './values.ts';

/** Dates as the file writes them. */
const withoutDates = (value: unknown): unknown => {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutDates(member)]));
};

/** Reads a TOML document. @throws Unreadable with the line */
export const readToml = (text: string): Fields => {
  try {
    return fields(withoutDates(parse(text)));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw new Unreadable(`not TOML: ${reason}`, error.line);
  }
};
