import { holdersOf, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { id, instant, integer, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { type ReleaseStatus, releaseStatuses } from '../../shared/enums.ts';
import { type Component, listOf as listComponents } from './components.store.ts';
import { type Evidence, listOf as listEvidence } from './evidence.store.ts';

export type ReleaseId = Id<'Release'>;

const releases = table(
  'orchestrator.releases',
  {
    id: id('Release'),
    productId: id('Product'),
    /** Name of the product. */
    name: text,
    semver: text,
    status: oneOf(...releaseStatuses),
    notes: text.nullable(),
    holdReason: text.nullable(),
    holdSince: instant.nullable(),
    holdActor: text.nullable(),
    gatedDigestSet: text.nullable(),
    finalizedBy: text.nullable(),
    /**
     * Clients that held the finalizer's token, the last one first, or the controllers of the release sources; null where they
     * were not recorded.
     */
    finalizedThrough: textArray.nullable(),
    finalizedAt: instant.nullable(),
    createdBy: text,
    /**
     * Clients that held the creator's token, the last one first, or the controllers of the release sources; null where they
     * were not recorded.
     */
    createdThrough: textArray.nullable(),
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'release',
    code: 'RES_RELEASE_NOT_FOUND',
    writes: { deprecationReason: text, updatedBy: text, updatedAt: instant },
  },
);

export const { notFound } = releases;

type ReleaseRow = RowOf<typeof releases>;

export interface Hold {
  readonly reason: string;
  readonly since: Date;
  readonly actor: string;
}

/** Release with its components, evidence and hold. */
export type Release = Omit<ReleaseRow, 'holdReason' | 'holdSince' | 'holdActor'> & {
  readonly hold: Hold | null;
  /** Components by name. */
  readonly components: readonly Component[];
  /** Evidence, oldest first. */
  readonly evidence: readonly Evidence[];
};

export interface ReleaseFilter {
  readonly productId?: Id<'Product'>;
  readonly status?: ReleaseStatus;
  readonly name?: string;
}

const holdOf = (reason: string | null, since: Date | null, actor: string | null): Hold | null =>
  reason === null || since === null || actor === null ? null : { reason, since, actor };

const assemble = (
  { holdReason, holdSince, holdActor, ...row }: ReleaseRow,
  components: readonly Component[],
  evidence: readonly Evidence[],
): Release => ({
  ...row,
  hold: holdOf(holdReason, holdSince, holdActor),
  components: components.filter(({ releaseId }) => releaseId === row.id),
  evidence: evidence.filter(({ releaseId }) => releaseId === row.id),
});

/** Adds components and evidence to release rows, in two statements for any number of rows. */
const complete = async (query: Query, tenant: TenantId, rows: readonly ReleaseRow[]): Promise<Release[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const components = await listComponents(query, tenant, ids);
  const evidence = await listEvidence(query, tenant, ids);
  return rows.map((row) => assemble(row, components, evidence));
};

const one = async (query: Query, tenant: TenantId, row: ReleaseRow): Promise<Release> =>
  assemble(row, await listComponents(query, tenant, [row.id]), await listEvidence(query, tenant, [row.id]));

/**
 * Lists releases, newest first; one more than `limit` if there are more. `before` is the last id of the previous page.
 */
export const list = async (
  query: Query,
  tenant: TenantId,
  { productId, status, name }: ReleaseFilter,
  page: { readonly limit: number; readonly before?: string | undefined },
) => {
  const rows = await releases.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
        and (${productId ?? null}::uuid is null or product_id = ${productId ?? null})
        and (${status ?? null}::text is null or status = ${status ?? null})
        and (${name ?? null}::text is null or name = ${name ?? null})
        and (${page.before ?? null}::uuid is null or id < ${page.before ?? null})
      order by id desc
      limit ${page.limit}`,
  );
  return complete(query, tenant, rows);
};

export const listByIds = async (query: Query, tenant: TenantId, ids: readonly ReleaseId[]) =>
  complete(query, tenant, await releases.listByIds(query, tenant, ids));

/** Lists releases with a component whose gated digest or platform digest is this one, newest first. */
export const listByDigest = async (query: Query, tenant: TenantId, digest: Digest) => {
  const rows = await releases.listWhere(
    query,
    'listByDigest',
    sql`tenant = ${tenant} and id in (
        select release_id from orchestrator.release_components where tenant = ${tenant} and digest = ${digest}
        union
        select release_id from orchestrator.component_platforms where tenant = ${tenant} and digest = ${digest})
      order by id desc`,
  );
  return complete(query, tenant, rows);
};

const digests = table('orchestrator.releases digests', { digest: text, releaseId: id('Release') });

/** Lists the releases of each digest, newest first: of components whose gated or platform digest it is. */
export const listByDigests = async (
  query: Query,
  tenant: TenantId,
  requested: readonly string[],
): Promise<ReadonlyMap<string, readonly Release[]>> => {
  const pairs = await query.list(
    digests,
    sql`/* orchestrator.releases.listByDigests */
    select digest, release_id from orchestrator.release_components
    where tenant = ${tenant} and digest = any(${requested}::text[])
    union
    select digest, release_id from orchestrator.component_platforms
    where tenant = ${tenant} and digest = any(${requested}::text[])
    order by release_id desc`,
  );
  const byId = new Map(
    (
      await listByIds(
        query,
        tenant,
        pairs.map(({ releaseId }) => releaseId),
      )
    ).map((row) => [row.id, row]),
  );
  return new Map(
    [...Map.groupBy(pairs, ({ digest }) => digest)].map(([digest, of]) => [
      digest,
      of.flatMap(({ releaseId }) => byId.get(releaseId) ?? []),
    ]),
  );
};

export const find = async (query: Query, tenant: TenantId, release: ReleaseId): Promise<Release | undefined> => {
  const row = await releases.find(query, tenant, release);
  return row && one(query, tenant, row);
};

/** Reads a release with its components and evidence. @throws Fault RES_RELEASE_NOT_FOUND */
export const get = async (query: Query, tenant: TenantId, release: ReleaseId): Promise<Release> =>
  one(query, tenant, await releases.get(query, tenant, release));

/** Finds the release of a product's version, and locks it. */
export const findByVersion = (tx: Tx, tenant: TenantId, product: Id<'Product'>, semver: string) =>
  releases.findWhere(
    tx,
    'findByVersion',
    sql`tenant = ${tenant} and product_id = ${product} and semver = ${semver} for update`,
  );

/** Finds a release by the name of its product and its version. */
export const findNamed = async (
  query: Query,
  tenant: TenantId,
  name: string,
  semver: string,
): Promise<Release | undefined> => {
  const row = await releases.findWhere(
    query,
    'findNamed',
    sql`tenant = ${tenant} and name = ${name} and semver = ${semver}`,
  );
  return row && one(query, tenant, row);
};

export const findLocked = async (tx: Tx, tenant: TenantId, release: ReleaseId): Promise<Release | undefined> => {
  const row = await releases.findLocked(tx, tenant, release);
  return row && one(tx, tenant, row);
};

/** Reads a release and locks its row. @throws Fault RES_RELEASE_NOT_FOUND */
export const getLocked = async (tx: Tx, tenant: TenantId, release: ReleaseId): Promise<Release> =>
  one(tx, tenant, await releases.getLocked(tx, tenant, release));

export interface NewRelease {
  readonly id: ReleaseId;
  readonly productId: Id<'Product'>;
  readonly name: string;
  readonly semver: string;
  readonly notes: string | null;
}

/** Inserts a release. @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, { tenant, subject: by, ...holder }: Who, values: NewRelease): Promise<unknown> =>
  onConflict(
    releases.insert(tx, tenant, { ...values, createdBy: by, createdThrough: holdersOf(holder), updatedBy: by }),
    'releases_name',
    () =>
      new Fault('RES_ALREADY_EXISTS', `${values.name} ${values.semver} is already there.`, {
        name: values.name,
        semver: values.semver,
      }),
  );

const update = (
  tx: Tx,
  tenant: TenantId,
  release: ReleaseId,
  by: string,
  changes: Parameters<typeof releases.update>[3],
) => releases.update(tx, tenant, release, { ...changes, updatedBy: by, updatedAt: sql`kernel.now()` });

/** Records the holders of the token with which a draft's components were replaced, besides those that created it. */
export const addCreators = (tx: Tx, { tenant, subject: by, ...holder }: Who, release: ReleaseId): Promise<unknown> =>
  update(tx, tenant, release, by, {
    createdThrough: sql`array(select distinct holder from unnest(created_through || ${holdersOf(holder)}::text[]) holder)`,
  });

/** Increments the version of a release after a change of its components or evidence. */
export const touch = (tx: Tx, tenant: TenantId, release: ReleaseId, by: string): Promise<unknown> =>
  update(tx, tenant, release, by, {});

export const setFinalized = (
  tx: Tx,
  { tenant, subject: by, ...holder }: Who,
  release: ReleaseId,
  gatedDigestSet: Digest,
): Promise<unknown> =>
  update(tx, tenant, release, by, {
    status: 'finalized',
    gatedDigestSet,
    finalizedBy: by,
    finalizedThrough: holdersOf(holder),
    finalizedAt: sql`kernel.now()`,
  });

export const setReady = (tx: Tx, tenant: TenantId, release: ReleaseId, by: string): Promise<unknown> =>
  update(tx, tenant, release, by, { status: 'ready' });

export const setDeprecated = (tx: Tx, tenant: TenantId, release: ReleaseId, deprecationReason: string, by: string) =>
  update(tx, tenant, release, by, { status: 'deprecated', deprecationReason });

/** Sets the hold of a release; without a reason, clears it. */
export const setHold = (tx: Tx, tenant: TenantId, release: ReleaseId, reason: string | null, by: string) =>
  update(
    tx,
    tenant,
    release,
    by,
    reason === null
      ? { holdReason: null, holdSince: null, holdActor: null }
      : { holdReason: reason, holdSince: sql`kernel.now()`, holdActor: by },
  );
