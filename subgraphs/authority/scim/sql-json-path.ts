import type { AttributePath } from './attribute-paths.ts';
import type { Attribute } from './attributes.ts';
import { type Filter, leafOf, type Value } from './filter.ts';

/** Search form of a value: lower case unless the attribute is case-exact. */
export const searchable = ({ type, caseExact }: Attribute, value: Value): Value =>
  typeof value === 'string' && type === 'string' && !caseExact ? value.toLowerCase() : value;

const key = (name: string): string => JSON.stringify(name.toLowerCase());

const pathOf = ({ extension, attribute, sub }: AttributePath): string =>
  ['$root', extension && key(extension.id), key(attribute.name), sub && key(sub.name)]
    .filter((part) => part !== undefined)
    .join('.');

/** Escapes a text for `like_regex`, which takes constants only. */
const escaped = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}#\-/]/g, '\\$&');

const SYMBOLS = { eq: '==', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;

const condition = (by: Exclude<(Filter & { op: 'compare' })['by'], 'ne'>, value: Value): string => {
  const literal = JSON.stringify(value);
  const text = String(value);
  if (by === 'sw') return `@ starts with ${literal}`;
  if (by === 'co') return `@ like_regex ${JSON.stringify(escaped(text))}`;
  if (by === 'ew') return `@ like_regex ${JSON.stringify(`${escaped(text)}$`)}`;
  return `@ ${SYMBOLS[by]} ${literal}`;
};

const comparison = ({ by, at, value }: Filter & { op: 'compare' }, root: string): string => {
  const path = pathOf(at).replace('$root', root);
  if (value === null) return by === 'eq' ? `!(exists(${path}))` : `exists(${path})`;
  const pattern = searchable(leafOf(at), value);
  if (by !== 'ne') return `exists(${path} ? (${condition(by, pattern)}))`;
  // For several values, one that differs is enough; an absent value differs from every value.
  const differs = `exists(${path} ? (@ != ${JSON.stringify(pattern)}))`;
  return at.attribute.isMulti ? differs : `!(exists(${path} ? (@ == ${JSON.stringify(pattern)})))`;
};

const format = (filter: Filter, root: string): string => {
  switch (filter.op) {
    case 'and':
    case 'or':
      return `(${filter.filters.map((part) => format(part, root)).join(filter.op === 'and' ? ' && ' : ' || ')})`;
    case 'not':
      return `!(${format(filter.filter, root)})`;
    case 'pr':
      return `exists(${pathOf(filter.at).replace('$root', root)})`;
    case 'values':
      return `exists(${pathOf(filter.at).replace('$root', root)}[*] ? (${format(filter.filter, '@')}))`;
    case 'compare':
      return comparison(filter, root);
  }
};

/** Translates a filter into a SQL/JSON path predicate, passed as a parameter of a fixed statement. */
export const jsonPathOf = (filter: Filter): string => format(filter, '$');
