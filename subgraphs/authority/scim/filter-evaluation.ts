import { type Filter, leafOf } from './filter.ts';
import { searchable } from './sql-json-path.ts';

type Compare = Filter & { op: 'compare' };

const holds = (found: string | number | boolean, { by, at, value }: Compare): boolean => {
  const leaf = leafOf(at);
  const [left, right] = [searchable(leaf, found), searchable(leaf, value)];
  if (by === 'eq') return left === right;
  if (by === 'ne') return left !== right;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  if (by === 'co') return left.includes(right);
  if (by === 'sw') return left.startsWith(right);
  if (by === 'ew') return left.endsWith(right);
  if (by === 'gt') return left > right;
  if (by === 'ge') return left >= right;
  return by === 'lt' ? left < right : left <= right;
};

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether a value matches the filter of a path: `emails[type eq "work"]`. */
export const matchesFilter = (value: Readonly<Record<string, unknown>>, filter: Filter): boolean => {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matchesFilter(value, part));
    case 'or':
      return filter.filters.some((part) => matchesFilter(value, part));
    case 'not':
      return !matchesFilter(value, filter.filter);
    case 'pr':
      return value[leafOf(filter.at).name] !== undefined;
    case 'values':
      return false;
    case 'compare': {
      const found = value[leafOf(filter.at).name];
      if (filter.value === null) return (found === undefined) === (filter.by === 'eq');
      return isScalar(found) ? holds(found, filter) : filter.by === 'ne';
    }
  }
};
