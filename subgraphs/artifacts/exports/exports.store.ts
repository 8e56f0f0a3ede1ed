import type { TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ExportFile } from './sealed-export.ts';

const exports = table(
  'evidence.exports',
  {
    id: id('EvidenceExport'),
    bundleId: id('EvidenceBundle'),
    status: oneOf('queued', 'running', 'complete', 'failed'),
    requestedBy: text,
    createdAt: instant,
    checkedCount: integer,
    missingCount: integer,
    failure: text.nullable(),
    rootHash: text.nullable(),
    keyId: text.nullable(),
    signedAt: instant.nullable(),
    endedAt: instant.nullable(),
    version: integer,
  },
  { noun: 'evidence export' },
);

export type EvidenceExport = RowOf<typeof exports>;
export type ExportId = EvidenceExport['id'];
type BundleId = EvidenceExport['bundleId'];

export const { get, listByIds, insertIfAbsent } = exports;

export const findOpen = (query: Query, tenant: TenantId, bundle: BundleId): Promise<EvidenceExport | undefined> =>
  exports.findWhere(
    query,
    'findOpen',
    sql`tenant = ${tenant} and bundle_id = ${bundle} and status in ('queued', 'running')`,
  );

/** Newest exports of each bundle, newest first. */
export const listByBundles = (
  query: Query,
  tenant: TenantId,
  bundles: readonly BundleId[],
  limit: number,
): Promise<EvidenceExport[]> =>
  query.list(
    exports,
    sql`/* evidence.exports.listByBundles */
    select ${exports.of('e')} from unnest(${bundles}::uuid[]) as wanted (bundle_id)
    cross join lateral (
      select * from evidence.exports where tenant = ${tenant} and bundle_id = wanted.bundle_id
      order by id desc limit ${limit}) e
    order by e.bundle_id, e.id desc`,
  );

const leased = table('evidence.exports leased', {
  tenant: tenantId,
  id: id('EvidenceExport'),
  bundleId: id('EvidenceBundle'),
  requestedBy: text,
  createdAt: instant,
  attempts: integer,
});

/** Export that this worker has until its lease ends; `attempts` is the number of this attempt. */
export type LeasedExport = RowOf<typeof leased>;

/** Leases the export that waits longest, also one whose worker was killed. Across tenants, so by the system role. */
export const lease = (tx: Tx, seconds: number): Promise<LeasedExport | undefined> =>
  tx.find(
    leased,
    sql`/* evidence.exports.lease */
    with due as (
      select tenant, id from evidence.exports where status in ('queued', 'running') and due_at <= kernel.now()
      order by due_at limit 1 for update skip locked)
    update evidence.exports e set status = 'running', due_at = kernel.now() + make_interval(secs => ${seconds}),
      attempts = e.attempts + 1, checked_count = 0, version = e.version + 1
    from due where e.tenant = due.tenant and e.id = due.id
    returning e.tenant, e.id, e.bundle_id, e.requested_by, e.created_at, e.attempts`,
  );

/** Condition that an attempt still has its export: a later attempt has another number. */
const isHeld = ({ tenant, id: exportId, attempts }: LeasedExport) =>
  sql`tenant = ${tenant} and id = ${exportId} and status = 'running' and attempts = ${attempts}`;

const ended = table('evidence.exports ended', { version: integer });

/** Renews the lease and stores the progress; undefined if another attempt has the export. */
export const renew = (tx: Tx, held: LeasedExport, checkedCount: number, seconds: number) =>
  tx.find(
    ended,
    sql`/* evidence.exports.renew */
    update evidence.exports set checked_count = ${checkedCount}, version = version + 1,
      due_at = kernel.now() + make_interval(secs => ${seconds})
    where ${isHeld(held)} returning version`,
  );

interface Completion {
  readonly checkedCount: number;
  readonly missingCount: number;
  readonly rootHash: string;
  readonly keyId: string;
  readonly signedAt: Date;
}

/** Completes an export; undefined if another attempt has it. */
export const complete = (tx: Tx, held: LeasedExport, end: Completion) =>
  tx.find(
    ended,
    sql`/* evidence.exports.complete */
    update evidence.exports set status = 'complete', ended_at = kernel.now(), version = version + 1,
      checked_count = ${end.checkedCount}, missing_count = ${end.missingCount}, root_hash = ${end.rootHash},
      key_id = ${end.keyId}, signed_at = ${end.signedAt}
    where ${isHeld(held)} returning version`,
  );

/** Lets another attempt begin after a pause. */
export const postpone = (tx: Tx, held: LeasedExport, seconds: number): Promise<number> =>
  tx.run(sql`/* evidence.exports.postpone */
    update evidence.exports set status = 'queued', due_at = kernel.now() + make_interval(secs => ${seconds}),
      version = version + 1
    where ${isHeld(held)}`);

/** Ends an export that no further attempt completes; undefined if another attempt has it. */
export const fail = (tx: Tx, held: LeasedExport, failure: string) =>
  tx.find(
    ended,
    sql`/* evidence.exports.fail */
    update evidence.exports set status = 'failed', ended_at = kernel.now(), failure = ${failure}, version = version + 1
    where ${isHeld(held)} returning version`,
  );

const files = table('evidence.export_files', { path: text, content: bytes });

/** Stores a file of an export: one by one, since an array of megabytes is sent as text of twice the size. */
export const insertFile = (
  tx: Tx,
  { tenant, id: exportId }: Pick<LeasedExport, 'tenant' | 'id'>,
  { path, content }: ExportFile,
): Promise<number> =>
  tx.run(sql`/* evidence.export_files.insert */
    insert into evidence.export_files (tenant, export_id, path, content)
    values (${tenant}, ${exportId}, ${path}, ${content})`);

const fileSizes = table('evidence.export_files sizes', { path: text, size: integer });

/** Files of an export with their sizes in bytes. */
export const listFiles = (query: Query, tenant: TenantId, exportId: ExportId): Promise<RowOf<typeof fileSizes>[]> =>
  query.list(
    fileSizes,
    sql`/* evidence.export_files.listSizes */
    select path, octet_length(content) as size from evidence.export_files
    where tenant = ${tenant} and export_id = ${exportId}`,
  );

const pieces = table('evidence.export_files piece', { content: bytes });

interface Piece {
  readonly path: string;
  /** Position of its first byte. */
  readonly from: number;
  readonly length: number;
}

/** Piece of a file: a statement answers it as text of twice the size, which a whole file would be in memory. */
export const getPiece = (query: Query, tenant: TenantId, exportId: ExportId, { path, from, length }: Piece) =>
  query.get(
    pieces,
    sql`/* evidence.export_files.getPiece */
    select substr(content, ${from + 1}::integer, ${length}::integer) as content from evidence.export_files
    where tenant = ${tenant} and export_id = ${exportId} and path = ${path}`,
  );

export const findFile = (query: Query, tenant: TenantId, exportId: ExportId, path: string) =>
  files.findWhere(query, 'find', sql`tenant = ${tenant} and export_id = ${exportId} and path = ${path}`);
