import { invalid } from '@landfall/kernel/core/fault';
import { cursorOf, formatCursor, parseCursor } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import { instant, patterned } from '@landfall/kernel/operation/input';
import { type Page, pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as store from './audit.store.ts';

/** Row of the audit trail. Events never carry secrets. */
export interface AuditEvent extends Omit<store.TrailRow, 'xid' | 'id'> {
  /** Position in the order of events: `xid-id`. */
  readonly id: string;
}

const optionalText = (max: number) => Type.Optional(Type.String({ minLength: 1, maxLength: max }));

const filterInput = Type.Object({
  type: Type.Optional(
    patterned('^[A-Za-z][A-Za-z0-9]*(\\.[A-Za-z0-9]+)*$', 'must be words of letters and digits, joined by dots', {
      maxLength: 100,
    }),
  ),
  entity: optionalText(100),
  entityId: optionalText(500),
  actor: optionalText(200),
  from: Type.Optional(instant),
  to: Type.Optional(instant),
  correlationId: optionalText(100),
});

const encode = (position: string): string => Buffer.from(position).toString('base64url');

/** @throws Fault VAL_INVALID_FORMAT */
const decode = (cursor: string) => {
  const position = parseCursor(Buffer.from(cursor, 'base64url').toString());
  if (position) return position;
  throw invalid([{ field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' }]);
};

/** Converts a page to a connection whose cursors are event positions, not UUIDs as the kernel's cursors. */
export const trailConnectionOf = ({ items, hasNextPage }: Page<AuditEvent>) => {
  const edges = items.map((node) => ({ cursor: encode(node.id), node }));
  return { edges, pageInfo: { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null } };
};

export const createAudit = ({ operation }: Pick<Deps, 'operation'>) => ({
  list: operation({
    name: 'audit.list',
    kind: 'read',
    scope: ['authority:admin'],
    input: Type.Object({ filter: Type.Optional(filterInput), ...pageFields }),
    example: { filter: { type: 'user' } },
    async run({ tenant }, { filter = {}, first = 50, after }, query) {
      const search = { filter, after: after === undefined ? undefined : decode(after), limit: first + 1 };
      const rows = await store.list(query, tenant, search);
      const events = rows.map(
        ({ xid, id, ...row }): AuditEvent => ({ ...row, id: formatCursor(cursorOf({ xid, id })) }),
      );
      return pageOf(events, first);
    },
  }),
});
