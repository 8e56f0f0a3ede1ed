import type { TenantId } from '@landfall/kernel/core/ids';
import { instant, integer, tenantId, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const imageScans = table('orchestrator.image_scans', {
  imageDigest: text,
  scanId: uuid,
  /** Root of the ledger that proves the score at the scan's completion. */
  rootHash: text,
  scorePpm: integer.nullable(),
  completedAt: instant,
});

/** Newest completed scan of an image. */
export type ImageScan = RowOf<typeof imageScans>;

const DIGEST = '^sha256:[0-9a-f]{64}$';
/** Transactions after which the position moves although no scan was completed, so that nothing is read twice for long. */
const LONGEST_SPAN = 1_000;

/**
 * Takes over the scans of images that were completed since the last call, and moves the position in one statement. One
 * process at a time; the others find nothing. The horizon is looked up once: a second look may be later, and the position
 * would pass over what the first one hid. Role `landfall_system`.
 * @returns the number of images
 */
export const follow = (tx: Tx): Promise<number> =>
  tx.run(sql`/* orchestrator.image_scans.follow */
    with feed as (select xid, event_id from orchestrator.image_scan_feed for update skip locked),
    horizon as materialized (select kernel.horizon(pg_current_snapshot()) as xid),
    found as materialized (
      select e.tenant, e.data ->> 'imageDigest' as image_digest, e.entity_id::uuid as scan_id,
        e.data ->> 'rootHash' as root_hash, (e.data ->> 'score')::numeric * 1000000 as score_ppm, e.at, e.xid, e.id
      from feed, horizon, kernel.events e
      where (e.xid, e.id) > (feed.xid, feed.event_id) and e.xid < horizon.xid
        and e.type = 'scan.complete' and e.data ->> 'imageDigest' ~ ${DIGEST} and e.data ->> 'rootHash' ~ ${DIGEST}
    ),
    moved as (
      update orchestrator.image_scan_feed f set xid = horizon.xid, event_id = 0
      from feed, horizon
      where exists (select from found)
        or horizon.xid::text::numeric - feed.xid::text::numeric > ${LONGEST_SPAN}
    )
    insert into orchestrator.image_scans as known (tenant, image_digest, scan_id, root_hash, score_ppm, completed_at)
    select distinct on (tenant, image_digest) tenant, image_digest, scan_id, root_hash, round(score_ppm)::integer, at
    from found
    order by tenant, image_digest, xid desc, id desc
    on conflict (tenant, image_digest) do update set scan_id = excluded.scan_id, root_hash = excluded.root_hash,
      score_ppm = excluded.score_ppm, completed_at = excluded.completed_at, due_at = kernel.now()
      where known.scan_id <> excluded.scan_id`);

const due = table('orchestrator.image_scans.due', { tenant: tenantId, imageDigest: text, scanId: uuid });

export type DueScan = RowOf<typeof due>;

/** Leases scans that no statement tells of yet. Across tenants, so by the system role. */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number): Promise<DueScan[]> =>
  tx.list(
    due,
    sql`/* orchestrator.image_scans.leaseDue */
    with due as (
      select tenant, image_digest from orchestrator.image_scans
      where due_at <= kernel.now()
      order by due_at limit ${limit}
      for update skip locked
    )
    update orchestrator.image_scans as scan set due_at = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where scan.tenant = due.tenant and scan.image_digest = due.image_digest
    returning scan.tenant, scan.image_digest, scan.scan_id`,
  );

/** Ends the work on a scan, unless a newer one has taken its place. */
export const settle = (tx: Tx, { tenant, imageDigest, scanId }: DueScan): Promise<number> =>
  tx.run(sql`/* orchestrator.image_scans.settle */
    update orchestrator.image_scans set due_at = null
    where tenant = ${tenant} and image_digest = ${imageDigest} and scan_id = ${scanId}`);

/** Lists the newest scans of images. */
export const listByImages = (query: Query, tenant: TenantId, digests: readonly string[]): Promise<ImageScan[]> =>
  imageScans.listWhere(
    query,
    'listByImages',
    sql`tenant = ${tenant} and image_digest = any(${digests}::text[]) order by image_digest`,
  );
