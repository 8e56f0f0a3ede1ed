import { type Filter as Parsed, parse } from 'scim2-parse-filter';
import { type AttributePath, findAttribute, findAttributePath } from './attribute-paths.ts';
import type { Attribute, ResourceType } from './attributes.ts';
import { scimFault } from './scim-fault.ts';

type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type Value = string | number | boolean | null;

export type Filter =
  | { readonly op: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly op: 'not'; readonly filter: Filter }
  | { readonly op: 'pr'; readonly at: AttributePath }
  | { readonly op: 'compare'; readonly by: Comparison; readonly at: AttributePath; readonly value: Value }
  /** Filter in brackets: `at` of each part is a sub-attribute of this attribute. */
  | { readonly op: 'values'; readonly at: AttributePath; readonly filter: Filter };

/** Limits that no directory's filter reaches. */
const MAX_LENGTH = 2_000;
const MAX_DEPTH = 12;
const MAX_PARTS = 60;

/** Limit below the 32 compiled regular expressions that PostgreSQL caches. */
const MAX_PATTERNS = 16;

const refuse = (message: string) => scimFault('invalidFilter', message);

const readString = (literal: string): string => {
  try {
    const value: unknown = JSON.parse(literal);
    if (typeof value === 'string' && value.isWellFormed() && !value.includes('\0')) return value;
  } catch {
    // Reported below as a value that is no text.
  }
  throw refuse('A text in the filter is not a JSON string.');
};

/** Replaces strings by their numbers, so that the grammar sees none of their content. */
const withoutTexts = (filter: string) => {
  const texts: string[] = [];
  const plain = filter.replace(/"(?:[^"\\]|\\.)*"/gs, (literal) => `"${texts.push(readString(literal)) - 1}"`);
  return { bare: plain, texts };
};

/** Number of comparisons that need a regular expression. */
const patternsIn = (filter: Filter): number => {
  if (filter.op === 'and' || filter.op === 'or') return filter.filters.reduce((sum, part) => sum + patternsIn(part), 0);
  if (filter.op === 'not' || filter.op === 'values') return patternsIn(filter.filter);
  return filter.op === 'compare' && (filter.by === 'co' || filter.by === 'ew') ? 1 : 0;
};

/** Refuses deep nesting before the recursive parser runs. */
const refuseDeep = (plain: string): void => {
  let depth = 0;
  for (const [bracket] of plain.matchAll(/[[\]()]/g)) {
    depth += bracket === '(' || bracket === '[' ? 1 : -1;
    if (depth > MAX_DEPTH) throw refuse(`The filter nests deeper than ${MAX_DEPTH} levels.`);
  }
  if ((plain.match(/\b(?:and|or|not)\b/gi) ?? []).length >= MAX_PARTS)
    throw refuse(`The filter has more than ${MAX_PARTS} parts.`);
};

const parsed = (plain: string): Parsed => {
  try {
    return parse(plain);
  } catch {
    throw refuse('The filter does not follow the grammar of RFC 7644 3.4.2.2.');
  }
};

/** Resolves a path in the resource or in the values of an attribute. */
type Find = (path: string) => AttributePath | undefined;

const inValues =
  ({ attribute }: AttributePath): Find =>
  (path) => {
    const sub = findAttribute(attribute.sub ?? [], path);
    return sub && { extension: undefined, attribute: sub, sub: undefined };
  };

/** Attribute to compare: `value` of a complex one (RFC 7644 3.4.2.2, note on `emails co`). */
const compared = (attributePath: AttributePath): AttributePath => {
  const { attribute, sub } = attributePath;
  if (attribute.type !== 'complex' || sub) return attributePath;
  const value = findAttribute(attribute.sub ?? [], 'value');
  return value ? { ...attributePath, sub: value } : attributePath;
};

export const leafOf = ({ attribute, sub }: AttributePath): Attribute => sub ?? attribute;

const ORDERED: readonly string[] = ['gt', 'ge', 'lt', 'le'];

const checkedValue = (path: AttributePath, by: Comparison, value: Value): Value => {
  const { name, type } = leafOf(path);
  if (type === 'complex') throw refuse(`${name} has parts; compare one of them.`);
  if (value === null && (by === 'eq' || by === 'ne')) return value;
  if (type === 'boolean') {
    const input = typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
    if (typeof input !== 'boolean' || (by !== 'eq' && by !== 'ne'))
      throw refuse(`${name} is true or false, and is compared by eq or ne.`);
    return input;
  }
  if (typeof value !== 'string') throw refuse(`${name} is compared with a text.`);
  if (type !== 'dateTime' || !(ORDERED.includes(by) || by === 'eq' || by === 'ne')) return value;
  const at2 = Date.parse(value);
  if (Number.isNaN(at2)) throw refuse(`${name} is compared with a date and time.`);
  return new Date(at2).toISOString();
};

const checked = (filter: Parsed, find: Find, texts: readonly string[]): Filter => {
  const attributeAt = (path: string): AttributePath => {
    const attributePath = find(path);
    if (!attributePath || leafOf(attributePath).isWriteOnly)
      throw refuse(`There is no attribute ${path} to filter by.`);
    return attributePath;
  };
  const within = (part: Parsed): Filter => checked(part, find, texts);
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, filters: filter.filters.map(within) };
    case 'not':
      return { op: 'not', filter: within(filter.filter) };
    case 'pr':
      return { op: 'pr', at: attributeAt(filter.attrPath) };
    case '[]': {
      const at = attributeAt(filter.attrPath);
      if (!at.attribute.isMulti || at.sub) throw refuse(`${filter.attrPath} has no several values to choose from.`);
      return { op: 'values', at, filter: checked(filter.valFilter, inValues(at), texts) };
    }
    default: {
      const at = compared(attributeAt(filter.attrPath));
      const { compValue } = filter;
      const value = typeof compValue === 'string' ? (texts[Number(compValue)] ?? '') : compValue;
      return { op: 'compare', by: filter.op, at, value: checkedValue(at, filter.op, value) };
    }
  }
};

const read = (text: string, find: Find): Filter => {
  if (text.length > MAX_LENGTH) throw refuse(`The filter is longer than ${MAX_LENGTH} characters.`);
  const { bare: plain, texts } = withoutTexts(text);
  refuseDeep(plain);
  const filter = checked(parsed(plain), find, texts);
  if (patternsIn(filter) > MAX_PATTERNS) throw refuse(`The filter has more than ${MAX_PATTERNS} of co and ew.`);
  return filter;
};

/** Reads a filter (RFC 7644 3.4.2.2) for resources of one type; throws a Fault with scimType invalidFilter. */
export const readFilter = (type: ResourceType, text: string): Filter =>
  read(text, (path) => findAttributePath(type, path));

/** Reads the bracketed filter of a PATCH path (RFC 7644 3.5.2). @throws Fault with scimType invalidFilter */
export const readValueFilter = (attribute: Attribute, text: string): Filter =>
  read(text, inValues({ extension: undefined, attribute, sub: undefined }));
