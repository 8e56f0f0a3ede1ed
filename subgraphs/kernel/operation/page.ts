import Type from 'typebox';
import { Fault } from '../core/fault.ts';

/** Rows of one page and whether there are more. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasNextPage: boolean;
}

export const MAX_PAGE = 200;

/** Input fields of an operation that lists. */
export const pageFields = {
  first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
  after: Type.Optional(Type.String({ maxLength: 500 })),
};

/** Creates a page from rows read with `limit first + 1`: the extra row means that a next page exists. */
export const pageOf = <T>(rows: readonly T[], first: number): Page<T> => ({
  items: rows.slice(0, first),
  hasNextPage: rows.length > first,
});

/** Reads a page of a list by reading one row more than `first`. Throws VAL_INVALID_FORMAT for an invalid `after`. */
export const readPage = async <T>(
  { first = 50, after }: { readonly first?: number | undefined; readonly after?: string | undefined },
  list: (bounds: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly T[]>,
): Promise<Page<T>> =>
  pageOf(await list({ after: after === undefined ? undefined : decodeCursor(after), limit: first + 1 }), first);

/** Encodes an id as a cursor: lists are ordered by id, and a UUIDv7 grows with time. */
export const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

/** Decodes the cursor of a list into the id that it names. @throws Fault VAL_INVALID_FORMAT for any other text */
export const decodeCursor = (cursor: string): string => {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new Fault('VAL_INVALID_FORMAT', 'This cursor is not one of ours.', undefined, [
    { field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' },
  ]);
};

const lastCursor = (items: readonly { readonly id: string }[]): string | null => {
  const last = items.at(-1);
  return last ? encodeCursor(last.id) : null;
};

export const connectionOf = <T extends { readonly id: string }>({ items, hasNextPage }: Page<T>) => ({
  edges: items.map((node) => ({ cursor: encodeCursor(node.id), node })),
  pageInfo: { hasNextPage, endCursor: lastCursor(items) },
});
