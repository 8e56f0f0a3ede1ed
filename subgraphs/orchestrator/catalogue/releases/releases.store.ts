import { holdersOf, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { id, instant, integer, oneOf, type RowOf, table, text, textArray } from '@landfall/kernel/db/table';
import { type ReleaseStatus, releaseStatuses } from '../../shared/enums.ts';
import { type Component, listOf as listComponents } from './components.store.ts';
import { type Evidence, listOf as listEvidence } from './evidence.store.ts';

export type ReleaseId = Id<'Release'>;

const releases = table('orchestrator.releases', {
  id: id('Release'),
  name: text,
  semver: text,
  status: oneOf(...releaseStatuses),
  notes: text.nullable(),
  holdReason: text.nullable(),
  holdSince: instant.nullable(),
  holdActor: text.nullable(),
  gatedDigestSet: text.nullable(),
  finalizedBy: text.nullable(),
  /** The holders of the finalizer's token, the last one first; null where they were not recorded. */
  finalizedThrough: textArray.nullable(),
  finalizedAt: instant.nullable(),
  createdBy: text,
  /** The holders of the creator's token, the last one first; null where they were not recorded. */
  createdThrough: textArray.nullable(),
  createdAt: instant,
  version: integer,
});

type ReleaseRow = RowOf<typeof releases>;

/** Somebody has stopped further promotions of a release. */
export interface Hold {
  readonly reason: string;
  readonly since: Date;
  readonly actor: string;
}

/** A release with everything that belongs to it. */
export type Release = Omit<ReleaseRow, 'holdReason' | 'holdSince' | 'holdActor'> & {
  readonly hold: Hold | null;
  /** By name. */
  readonly components: readonly Component[];
  /** In the order of their recording. */
  readonly evidence: readonly Evidence[];
};

export interface ReleaseFilter {
  readonly status?: ReleaseStatus;
  readonly name?: string;
}

const holdOf = (reason: string | null, since: Date | null, actor: string | null): Hold | null =>
  reason === null || since === null || actor === null ? null : { reason, since, actor };

/** The rows with their components and evidence: two statements more, however many rows. */
const whole = async (query: Query, tenant: TenantId, rows: readonly ReleaseRow[]): Promise<Release[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const components = await listComponents(query, tenant, ids);
  const evidence = await listEvidence(query, tenant, ids);
  return rows.map(({ holdReason, holdSince, holdActor, ...row }) => ({
    ...row,
    hold: holdOf(holdReason, holdSince, holdActor),
    components: components.filter(({ releaseId }) => releaseId === row.id),
    evidence: evidence.filter(({ releaseId }) => releaseId === row.id),
  }));
};

const one = async (query: Query, tenant: TenantId, statement: Sql): Promise<Release | undefined> => {
  const row = await query.find(releases, statement);
  return row && (await whole(query, tenant, [row]))[0];
};

/** Newest first, one more than `limit` when there are more; `before` is the last id of the page before. */
export const list = async (
  query: Query,
  tenant: TenantId,
  { status, name }: ReleaseFilter,
  page: { readonly limit: number; readonly before?: string | undefined },
): Promise<Release[]> =>
  whole(
    query,
    tenant,
    await query.list(
      releases,
      sql`/* orchestrator.releases.list */
      select ${releases.columns} from orchestrator.releases
      where tenant = ${tenant}
        and (${status ?? null}::text is null or status = ${status ?? null})
        and (${name ?? null}::text is null or name = ${name ?? null})
        and (${page.before ?? null}::uuid is null or id < ${page.before ?? null})
      order by id desc
      limit ${page.limit}`,
    ),
  );

export const listByIds = async (query: Query, tenant: TenantId, ids: readonly ReleaseId[]): Promise<Release[]> =>
  whole(
    query,
    tenant,
    await query.list(
      releases,
      sql`/* orchestrator.releases.listByIds */
      select ${releases.columns} from orchestrator.releases
      where tenant = ${tenant} and id = any(${ids}::uuid[])`,
    ),
  );

/** Releases with a component whose gated document or platform's manifest has this digest, newest first. */
export const listByDigest = async (query: Query, tenant: TenantId, digest: Digest): Promise<Release[]> =>
  whole(
    query,
    tenant,
    await query.list(
      releases,
      sql`/* orchestrator.releases.listByDigest */
      select ${releases.columns} from orchestrator.releases
      where tenant = ${tenant} and id in (
        select release_id from orchestrator.release_components where tenant = ${tenant} and digest = ${digest}
        union
        select release_id from orchestrator.component_platforms where tenant = ${tenant} and digest = ${digest})
      order by id desc`,
    ),
  );

export const find = (query: Query, tenant: TenantId, release: ReleaseId): Promise<Release | undefined> =>
  one(
    query,
    tenant,
    sql`/* orchestrator.releases.find */
    select ${releases.columns} from orchestrator.releases
    where tenant = ${tenant} and id = ${release}`,
  );

export const lock = (tx: Tx, tenant: TenantId, release: ReleaseId): Promise<Release | undefined> =>
  one(
    tx,
    tenant,
    sql`/* orchestrator.releases.lock */
    select ${releases.columns} from orchestrator.releases
    where tenant = ${tenant} and id = ${release}
    for update`,
  );

export interface NewRelease {
  readonly id: ReleaseId;
  readonly name: string;
  readonly semver: string;
  readonly notes: string | null;
}

/** @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, { tenant, subject: by, ...holder }: Who, given: NewRelease): Promise<number> =>
  onConflict(
    tx.run(sql`/* orchestrator.releases.insert */
      insert into orchestrator.releases (tenant, id, name, semver, notes, created_by, created_through, updated_by)
      values (${tenant}, ${given.id}, ${given.name}, ${given.semver}, ${given.notes}, ${by}, ${holdersOf(holder)},
        ${by})`),
    'releases_name',
    () =>
      new Fault('RES_ALREADY_EXISTS', `${given.name} ${given.semver} is already there.`, {
        name: given.name,
        semver: given.semver,
      }),
  );

/** Moves the version after a change of what belongs to the release. */
export const touch = (tx: Tx, tenant: TenantId, release: ReleaseId, by: string): Promise<number> =>
  tx.run(sql`/* orchestrator.releases.touch */
    update orchestrator.releases
    set updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${release}`);

export const setFinalized = (
  tx: Tx,
  { tenant, subject: by, ...holder }: Who,
  release: ReleaseId,
  gatedDigestSet: Digest,
): Promise<number> =>
  tx.run(sql`/* orchestrator.releases.setFinalized */
    update orchestrator.releases
    set status = 'finalized', gated_digest_set = ${gatedDigestSet}, finalized_by = ${by},
      finalized_through = ${holdersOf(holder)}, finalized_at = kernel.now(), updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${release}`);

export const setReady = (tx: Tx, tenant: TenantId, release: ReleaseId, by: string): Promise<number> =>
  tx.run(sql`/* orchestrator.releases.setReady */
    update orchestrator.releases
    set status = 'ready', updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${release}`);

export const setDeprecated = (
  tx: Tx,
  tenant: TenantId,
  release: ReleaseId,
  reason: string,
  by: string,
): Promise<number> =>
  tx.run(sql`/* orchestrator.releases.setDeprecated */
    update orchestrator.releases
    set status = 'deprecated', deprecation_reason = ${reason},
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${release}`);

/** Sets the hold, or clears it when there is no reason. */
export const setHold = (
  tx: Tx,
  tenant: TenantId,
  release: ReleaseId,
  reason: string | null,
  by: string,
): Promise<number> =>
  tx.run(sql`/* orchestrator.releases.setHold */
    update orchestrator.releases
    set hold_reason = ${reason},
      hold_since = case when ${reason}::text is null then null else kernel.now() end,
      hold_actor = case when ${reason}::text is null then null else ${by} end,
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${release}`);
