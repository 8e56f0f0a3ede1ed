import { type AttributePath, findAttributePath } from './attribute-paths.ts';
import type { ResourceType } from './attributes.ts';
import { type Filter, leafOf, readFilter } from './filter.ts';
import { scimFault } from './scim-fault.ts';
import { jsonPathOf } from './sql-json-path.ts';

/** Search parameters (RFC 7644 3.4.2) for the store. */
export interface Search {
  /** Predicate over search documents. */
  readonly jsonPath: string | undefined;
  /** Attributes that filter and order use, in lower case: only these enter the search document. */
  readonly attributes: ReadonlySet<string>;
  /** Equalities that the whole filter implies, for the index. */
  readonly exact: Readonly<Record<string, string>>;
  /** Path of the sort key in a search document. */
  readonly sortPath: readonly string[] | undefined;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

interface SearchParameters {
  readonly filter?: string | undefined;
  readonly startIndex?: number | undefined;
  readonly count?: number | undefined;
  readonly sortBy?: string | undefined;
  readonly sortOrder?: string | undefined;
}

/** Maximum and default page size. */
export const MAX_RESULTS = 200;
const MAX_OFFSET = 2_147_483_647;

/** Equalities that the filter implies: the filter itself, or parts of its outermost `and`. */
const exactOf = (filter: Filter | undefined): Record<string, string> => {
  if (filter?.op === 'and') return Object.assign({}, ...filter.filters.map(exactOf));
  if (filter?.op !== 'compare' || filter.by !== 'eq' || typeof filter.value !== 'string') return {};
  const { extension, sub } = filter.at;
  return extension || sub ? {} : { [leafOf(filter.at).name]: filter.value };
};

const pathsIn = (filter: Filter): readonly AttributePath[] => {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(pathsIn);
    case 'not':
      return pathsIn(filter.filter);
    default:
      return [filter.at];
  }
};

const pathOf = ({ extension, attribute, sub }: AttributePath): readonly string[] => [
  ...(extension ? [extension.id.toLowerCase()] : []),
  attribute.name.toLowerCase(),
  ...(attribute.isMulti ? ['0'] : []),
  ...(sub ? [sub.name.toLowerCase()] : attribute.isMulti && attribute.type === 'complex' ? ['value'] : []),
];

const sortPathOf = (type: ResourceType, sortBy: string | undefined): readonly string[] | undefined => {
  if (sortBy === undefined || sortBy === '') return undefined;
  const attributePath = findAttributePath(type, sortBy);
  if (!attributePath || leafOf(attributePath).isWriteOnly)
    throw scimFault('invalidValue', 'sortBy names no attribute of this resource.');
  return pathOf(attributePath);
};

/** Reads the filter and the order of a SCIM search. @throws Fault with scimType invalidFilter or invalidValue */
export const searchFor = (type: ResourceType, request: SearchParameters): Search => {
  const filter = request.filter === undefined ? undefined : readFilter(type, request.filter);
  const sortPath = sortPathOf(type, request.sortBy);
  const filtered = filter ? pathsIn(filter).map(({ attribute }) => attribute.name.toLowerCase()) : [];
  return {
    attributes: new Set([...filtered, ...(sortPath ?? [])]),
    jsonPath: filter && jsonPathOf(filter),
    exact: exactOf(filter),
    sortPath,
    descending: request.sortOrder?.toLowerCase() === 'descending',
    // RFC 7644 3.4.2.4: less than 1 is 1, and a negative count is 0.
    offset: Math.min(Math.max(request.startIndex ?? 1, 1) - 1, MAX_OFFSET),
    limit: Math.min(Math.max(request.count ?? MAX_RESULTS, 0), MAX_RESULTS),
  };
};
