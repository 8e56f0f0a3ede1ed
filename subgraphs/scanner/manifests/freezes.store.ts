import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

/** Reasons for which a finding is in a freeze and not in the one before, or the reverse. */
export const CHANGE_REASONS = ['appeared', 'withdrawn', 'not_affected', 'not_matched', 'renamed'] as const;

const change = Type.Object({
  findingId: Type.String(),
  vulnId: Type.String(),
  purl: Type.String(),
  reason: Type.Enum([...CHANGE_REASONS]),
  /** Id under which the same vulnerability of the component is found since. */
  successor: Type.Optional(Type.String()),
});

const freezes = table('scanner.freezes', {
  scanId: id('Scan'),
  freezeNumber: integer,
  manifestHash: text,
  scorePpm: integer.nullable(),
  rootHash: text.nullable(),
  components: integer,
  evaluated: integer,
  noPurl: integer,
  unknownEcosystem: integer,
  badVersion: integer,
  findingCount: integer,
  causes: textArray,
  appearedCount: integer,
  disappearedCount: integer,
  changes: json(Type.Array(change)),
  createdAt: instant,
});

/** Results of a freeze; they stay when its manifest and findings are deleted. */
export type StoredFreeze = RowOf<typeof freezes>;

export const { insert } = freezes;

/** One freeze of a scan. */
export const find = (query: Query, tenant: TenantId, scanId: Id<'Scan'>, freezeNumber: number) =>
  freezes.findWhere(query, 'find', sql`tenant = ${tenant} and scan_id = ${scanId} and freeze_number = ${freezeNumber}`);

/** Newest freezes of each scan, at most `limit` of one scan. */
export const listByScans = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
  limit: number,
): Promise<StoredFreeze[]> =>
  query.list(
    freezes,
    sql`/* scanner.freezes.listByScans */
    select ${freezes.of('f')}
    from unnest(${scanIds}::uuid[]) as asked (scan_id)
    cross join lateral (
      select * from scanner.freezes
      where tenant = ${tenant} and scan_id = asked.scan_id
      order by freeze_number desc
      limit ${limit}
    ) f
    order by f.scan_id, f.freeze_number desc`,
  );
