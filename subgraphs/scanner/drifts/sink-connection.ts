import { invalid } from '@landfall/kernel/core/fault';
import { oneOf, parser } from '@landfall/kernel/operation/input';
import { pageFields } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { sinkPage } from '../reachability/drift-record.ts';
import type { StoredDrift } from './drifts.store.ts';

const parse = parser(
  Type.Object({
    ...pageFields,
    direction: Type.Optional(oneOf('became_reachable', 'became_unreachable')),
    includeFullPath: Type.Optional(Type.Boolean()),
  }),
);

const cursorOf = (position: number): string => Buffer.from(String(position)).toString('base64url');

/** Position of the sink that a cursor names. @throws Fault VAL_INVALID_FORMAT */
const positionOf = (cursor: string): number => {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalid([{ field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' }]);
};

/** Connection over the sinks of a drift. @throws Fault VAL_* for arguments that do not fit */
export const sinkConnection = ({ id, drift }: StoredDrift, args: unknown) => {
  const { first = 50, after, direction, includeFullPath = false } = parse(args);
  const offset = after === undefined ? 0 : positionOf(after) + 1;
  const { items, total } = sinkPage(drift, id, { direction, offset, limit: first, includeFullPath });
  const hasNextPage = offset + items.length < total;
  const endCursor = items.length === 0 ? null : cursorOf(offset + items.length - 1);
  return {
    edges: items.map((node, i) => ({ cursor: cursorOf(offset + i), node })),
    pageInfo: { hasNextPage, endCursor },
    totalCount: total,
  };
};
