import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

/** Factors in ppm, as the score of a scan has them. */
const factors = Type.Array(
  Type.Object({
    name: Type.String(),
    weight: Type.Integer(),
    raw: Type.Integer(),
    weighted: Type.Integer(),
    source: Type.String(),
  }),
);

const replays = table('scanner.score_replays', {
  scanId: id('Scan'),
  /** Number of the freeze that was scored. */
  freezeNumber: integer,
  rootHash: text,
  canonicalInputHash: text,
  manifestDigest: text,
  scorePpm: integer.nullable(),
  factors: json(factors),
  freezeTimestamp: instant,
  replayedAt: instant,
  bundleHash: text,
  bundlePath: text,
});

/** Replay that was done. */
export type RecordedReplay = RowOf<typeof replays>;

export const { insertIfAbsent } = replays;

/** Newest replays of each scan, at most `limit` of one scan. */
export const listByScans = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
  limit: number,
): Promise<RecordedReplay[]> =>
  query.list(
    replays,
    sql`/* scanner.score_replays.listByScans */
    select ${replays.of('r')}
    from unnest(${scanIds}::uuid[]) as asked (scan_id)
    cross join lateral (
      select * from scanner.score_replays
      where tenant = ${tenant} and scan_id = asked.scan_id
      order by replayed_at desc, root_hash
      limit ${limit}
    ) r
    order by r.scan_id, r.replayed_at desc, r.root_hash`,
  );
