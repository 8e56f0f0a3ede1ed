import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { InputDigests } from './concerned-inputs.ts';
import type { FrozenState } from './freeze.ts';
import { SBOM_FORMATS } from './sboms.store.ts';

const columns = {
  id: id('Scan'),
  status: oneOf('queued', 'running', 'completed', 'failed'),
  imageDigest: text.nullable(),
  subjectName: text.nullable(),
  subjectVersion: text.nullable(),
  subjectPurl: text.nullable(),
  sbomDigest: text,
  sbomFormat: oneOf(...SBOM_FORMATS),
  components: integer.nullable(),
  evaluated: integer.nullable(),
  noPurl: integer.nullable(),
  unknownEcosystem: integer.nullable(),
  badVersion: integer.nullable(),
  findingCount: integer.nullable(),
  /** Newest score, in parts per million. */
  scorePpm: integer.nullable(),
  rootHash: text.nullable(),
  error: text.nullable(),
  /** Attempts since the scan was queued. */
  attempts: integer,
  requestedBy: text,
  createdAt: instant,
  completedAt: instant.nullable(),
  /** Why the newest freeze has older inputs than those in force. */
  rescoreError: text.nullable(),
  /** Number of the newest freeze. */
  freezeNumber: integer,
  version: integer,
} as const;

const scans = table('scanner.scans', columns, {
  noun: 'scan',
  writes: { identity: text, attemptDueAt: instant.nullable() },
});

const rescored = table('scanner.scans rescored', {
  ...columns,
  /** Digests of the inputs that concern the scan; null where they were not recorded. */
  inputs: json(Type.Record(Type.String(), Type.String())).nullable(),
});

const due = table('scanner.scans due for an attempt', { tenant: tenantId, id: id('Scan') });

export type ScanId = Id<'Scan'>;
export type Scan = RowOf<typeof scans>;

export const { get, findLocked, insertIfAbsent, listByIds } = scans;

export interface ScanFilter {
  readonly imageDigest?: string | undefined;
  readonly subject?: string | undefined;
}

/** Scans, newest first; one more than the page if there are more. `after` is the last id of the previous page. */
export const list = (
  query: Query,
  tenant: TenantId,
  { imageDigest, subject }: ScanFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<Scan[]> =>
  scans.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
        and (${imageDigest ?? null}::text is null or image_digest = ${imageDigest ?? null})
        and (${subject ?? null}::text is null or subject_name = ${subject ?? null})
        and (${page.after ?? null}::uuid is null or id < ${page.after ?? null})
      order by id desc
      limit ${page.limit}`,
  );

/** Scans of each of these images, newest first; of each image one more than the page if there are more. */
export const listOfImages = (
  query: Query,
  tenant: TenantId,
  imageDigests: readonly string[],
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<Scan[]> =>
  query.list(
    scans,
    sql`/* scanner.scans.listOfImages */
    select ${scans.of('s')} from (select distinct digest from unnest(${imageDigests}::text[]) as given (digest)) image
    cross join lateral (
      select * from scanner.scans
      where tenant = ${tenant} and image_digest = image.digest
        and (${page.after ?? null}::uuid is null or id < ${page.after ?? null})
      order by id desc limit ${page.limit}) s
    order by s.id desc`,
  );

export const getByIdentity = (query: Query, tenant: TenantId, identity: string): Promise<Scan> =>
  query.get(
    scans,
    sql`/* scanner.scans.getByIdentity */
    select ${scans.columns} from scanner.scans where tenant = ${tenant} and identity = ${identity}`,
  );

const isDue = sql`status in ('queued', 'running') and (attempt_due_at is null or attempt_due_at <= kernel.now())`;

/** Oldest scans that are due for an attempt, of any tenant. Role `landfall_system`. */
export const listDueAttempts = (query: Query, limit: number) =>
  query.list(
    due,
    sql`/* scanner.scans.listDueAttempts */
    select tenant, id from scanner.scans where ${isDue} order by id limit ${limit}`,
  );

/** A scan that is due for an attempt, locked until the transaction ends. */
export const findDueLocked = (tx: Tx, tenant: TenantId, scan: ScanId): Promise<Scan | undefined> =>
  scans.findWhere(tx, 'findDueLocked', sql`tenant = ${tenant} and id = ${scan} and ${isDue} for update`);

/** Counts an attempt; the next one is due after a time, unless the scan ends before. */
export const beginAttempt = (tx: Tx, tenant: TenantId, scan: ScanId, leaseMs: number): Promise<Scan> =>
  scans.update(tx, tenant, scan, {
    status: 'running',
    attempts: sql`attempts + 1`,
    attemptDueAt: fromNow(leaseMs),
  });

/** Postpones the next attempt of a scan while the present one is at work. */
export const renewAttempt = (
  tx: Tx,
  tenant: TenantId,
  scan: ScanId,
  { attempts, leaseMs }: { readonly attempts: number; readonly leaseMs: number },
): Promise<number> =>
  tx.run(sql`/* scanner.scans.renewAttempt */
    update scanner.scans set attempt_due_at = greatest(attempt_due_at, ${fromNow(leaseMs)})
    where tenant = ${tenant} and id = ${scan} and status = 'running' and attempts = ${attempts}::integer`);

/** Brings the next attempt of a scan forward, unless it ended. */
export const retryAfter = (tx: Tx, tenant: TenantId, scan: ScanId, waitMs: number): Promise<number> =>
  tx.run(sql`/* scanner.scans.retryAfter */
    update scanner.scans set attempt_due_at = least(attempt_due_at, ${fromNow(waitMs)})
    where tenant = ${tenant} and id = ${scan} and status = 'running'`);

/** Queues a failed scan again, as if it were requested now. */
export const requeue = (tx: Tx, tenant: TenantId, scan: ScanId): Promise<Scan> =>
  scans.update(tx, tenant, scan, {
    status: 'queued',
    error: null,
    completedAt: null,
    attempts: 0,
    attemptDueAt: null,
  });

export const setFailed = (tx: Tx, tenant: TenantId, scan: ScanId, error: string): Promise<Scan> =>
  scans.update(tx, tenant, scan, { status: 'failed', error, completedAt: sql`kernel.now()` });

/** Completes a scan with its frozen state. */
export const setCompleted = (
  tx: Tx,
  tenant: TenantId,
  scan: ScanId,
  findingCount: number,
  { coverage, scorePpm, rootHash, inputs }: FrozenState,
): Promise<Scan> =>
  tx.get(
    scans,
    sql`/* scanner.scans.setCompleted */
    update scanner.scans set status = 'completed', components = ${coverage.components}, evaluated = ${coverage.evaluated},
      no_purl = ${coverage.noPurl}, unknown_ecosystem = ${coverage.unknownEcosystem}, bad_version = ${coverage.badVersion},
      finding_count = ${findingCount}, score_ppm = ${scorePpm}, root_hash = ${rootHash}, inputs = ${jsonb(inputs)},
      completed_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${scan}
    returning ${scans.columns}`,
  );

/** Scan with the inputs of its newest freeze. */
export type RescoredScan = RowOf<typeof rescored>;

/** A scan that is complete, with the inputs of its newest freeze. */
export const findCompleted = (query: Query, tenant: TenantId, scan: ScanId): Promise<RescoredScan | undefined> =>
  rescored.findWhere(query, 'findCompleted', sql`tenant = ${tenant} and id = ${scan} and status = 'completed'`);

/** Whether a scan is the newest completed one of its image. */
export const isNewestOfImage = async (
  query: Query,
  tenant: TenantId,
  { id: scan, imageDigest, completedAt }: Scan,
): Promise<boolean> =>
  !(await scans.existsWhere(
    query,
    'isSuperseded',
    sql`tenant = ${tenant} and image_digest = ${imageDigest} and status = 'completed'
      and (completed_at, id) > (${completedAt}, ${scan})`,
  ));

/** Newest completed scans of some images. */
export const listNewestOfImages = (query: Query, tenant: TenantId, images: readonly string[]): Promise<Scan[]> =>
  query.list(
    scans,
    sql`/* scanner.scans.listNewestOfImages */
    select ${scans.of('s')} from unnest(${images}::text[]) with ordinality as image (digest, n)
    cross join lateral (
      select * from scanner.scans where tenant = ${tenant} and image_digest = image.digest and status = 'completed'
      order by completed_at desc, id desc limit 1) s
    order by image.n`,
  );

/**
 * Notes that a scan was compared with these inputs; it is due again when one of them changes.
 * @param error why it was not frozen with them; null where its newest freeze has them
 */
export const setCompared = (
  tx: Tx,
  tenant: TenantId,
  scan: ScanId,
  inputs: InputDigests,
  error: string | null = null,
): Promise<number> =>
  tx.run(sql`/* scanner.scans.setCompared */
    update scanner.scans
    set inputs = ${jsonb(inputs)}, rescore_due_at = null, rescore_attempts = 0, rescore_error = ${error}
    where tenant = ${tenant} and id = ${scan}`);

/** Gives a scan the results of its next freeze. */
export const setRescored = (
  tx: Tx,
  tenant: TenantId,
  { id: scan, freezeNumber }: Pick<Scan, 'id' | 'freezeNumber'>,
  findingCount: number,
  { coverage, scorePpm, rootHash, inputs }: FrozenState,
): Promise<Scan> =>
  tx.get(
    scans,
    sql`/* scanner.scans.setRescored */
    update scanner.scans set components = ${coverage.components}, evaluated = ${coverage.evaluated},
      no_purl = ${coverage.noPurl}, unknown_ecosystem = ${coverage.unknownEcosystem}, bad_version = ${coverage.badVersion},
      finding_count = ${findingCount}, score_ppm = ${scorePpm}, root_hash = ${rootHash}, inputs = ${jsonb(inputs)},
      freeze_number = ${freezeNumber + 1}, rescore_due_at = null, rescore_attempts = 0, rescore_error = null, version = version + 1
    where tenant = ${tenant} and id = ${scan}
    returning ${scans.columns}`,
  );
