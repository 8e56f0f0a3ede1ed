import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { EnvironmentId } from '../../catalogue/environments/environment.ts';
import type { ReleaseId } from '../../catalogue/releases/release.ts';
import { type PromotionState, promotionStates } from '../../shared/enums.ts';
import { type Approval, listOf as listApprovals } from './approvals.store.ts';
import { openPromotionRefusal } from './promotion-rules.ts';

export type PromotionId = Id<'Promotion'>;

const promotions = table(
  'orchestrator.promotions',
  {
    id: id('Promotion'),
    releaseId: id('Release'),
    targetEnvironmentId: id('Environment'),
    sourceEnvironmentId: id('Environment').nullable(),
    state: oneOf(...promotionStates),
    reason: text,
    requestedBy: text,
    /**
     * Clients that held the requester's token, the last one first; where release sources requested, also their
     * controllers. Null for promotions made before these were recorded.
     */
    requestedThrough: textArray.nullable(),
    approvalsNeeded: integer,
    gatedDigestSet: text,
    /** Promotion with the failed deployment that this one retries. */
    retryOfId: id('Promotion').nullable(),
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'promotion',
    code: 'RES_PROMOTION_NOT_FOUND',
    writes: { updatedBy: text, updatedAt: instant },
  },
);

export const { notFound } = promotions;

type PromotionRow = RowOf<typeof promotions>;

/** Promotion with the decisions on it. */
export type Promotion = PromotionRow & {
  /** Approvals in the order they were given. */
  readonly approvals: readonly Approval[];
};

export interface PromotionFilter {
  readonly releaseId?: ReleaseId;
  readonly environmentId?: EnvironmentId;
  readonly state?: PromotionState;
}

const complete = async (query: Query, tenant: TenantId, rows: readonly PromotionRow[]): Promise<Promotion[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const approvals = await listApprovals(query, tenant, ids);
  return rows.map((row) => ({ ...row, approvals: approvals.filter(({ promotionId }) => promotionId === row.id) }));
};

const one = async (query: Query, tenant: TenantId, row: PromotionRow): Promise<Promotion> => ({
  ...row,
  approvals: await listApprovals(query, tenant, [row.id]),
});

/** Lists at most `limit` promotions, newest first; `before` is the last id of the previous page. */
export const list = async (
  query: Query,
  tenant: TenantId,
  { releaseId, environmentId, state }: PromotionFilter,
  page: { readonly limit: number; readonly before?: string | undefined },
) => {
  const rows = await promotions.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
        and (${releaseId ?? null}::uuid is null or release_id = ${releaseId ?? null})
        and (${environmentId ?? null}::uuid is null or target_environment_id = ${environmentId ?? null})
        and (${state ?? null}::text is null or state = ${state ?? null})
        and (${page.before ?? null}::uuid is null or id < ${page.before ?? null})
      order by id desc
      limit ${page.limit}`,
  );
  return complete(query, tenant, rows);
};

/** Lists promotions in one state, oldest first. */
export const listWaiting = async (
  query: Query,
  tenant: TenantId,
  state: PromotionState,
  page: { readonly limit: number; readonly after?: string | undefined },
) => {
  const rows = await promotions.listWhere(
    query,
    'listWaiting',
    sql`tenant = ${tenant} and state = ${state} and (${page.after ?? null}::uuid is null or id > ${page.after ?? null})
      order by id
      limit ${page.limit}`,
  );
  return complete(query, tenant, rows);
};

export const listByIds = async (query: Query, tenant: TenantId, ids: readonly PromotionId[]): Promise<Promotion[]> =>
  complete(query, tenant, await promotions.listByIds(query, tenant, ids));

/** Lists the promotions of these releases, newest first. */
export const listByReleases = async (query: Query, tenant: TenantId, releases: readonly ReleaseId[]) => {
  const rows = await promotions.listWhere(
    query,
    'listByReleases',
    sql`tenant = ${tenant} and release_id = any(${releases}::uuid[])
      order by id desc`,
  );
  return complete(query, tenant, rows);
};

/** A product in an environment. */
interface EnvironmentModel {
  readonly productId: Id<'Product'>;
  readonly environmentId: EnvironmentId;
}

const placed = table('orchestrator.promotions of products', {
  promotionId: id('Promotion'),
  productId: id('Product'),
  environmentId: id('Environment'),
});

/** Lists the promotions of products to environments that wait for approval or launch, newest first. */
export const listOpenIn = async (query: Query, tenant: TenantId, environments: readonly EnvironmentModel[]) => {
  const rows = await query.list(
    placed,
    sql`/* orchestrator.promotions.listOpenIn */
    select p.id as promotion_id, r.product_id, p.target_environment_id as environment_id
    from orchestrator.promotions as p
    join orchestrator.releases as r on r.tenant = p.tenant and r.id = p.release_id
    where p.tenant = ${tenant} and p.state in ('pending', 'approved')
      and (r.product_id, p.target_environment_id) in (select * from unnest(
        ${environments.map(({ productId }) => productId)}::uuid[],
        ${environments.map(({ environmentId }) => environmentId)}::uuid[]))
    order by p.id desc`,
  );
  const ids = rows.map(({ promotionId }) => promotionId);
  const found = new Map((await listByIds(query, tenant, ids)).map((promotion) => [promotion.id, promotion]));
  return rows.flatMap(({ promotionId, productId, environmentId }) => {
    const promotion = found.get(promotionId);
    return promotion ? [{ ...promotion, productId, environmentId }] : [];
  });
};

/** Lists the open promotions to environments, deploying ones included, with their products. */
export const listOpenTo = (query: Query, tenant: TenantId, environmentIds: readonly EnvironmentId[]) =>
  query.list(
    placed,
    sql`/* orchestrator.promotions.listOpenTo */
    select p.id as promotion_id, r.product_id, p.target_environment_id as environment_id
    from orchestrator.promotions as p
    join orchestrator.releases as r on r.tenant = p.tenant and r.id = p.release_id
    where p.tenant = ${tenant} and p.state in ('pending', 'approved', 'deploying')
      and p.target_environment_id = any(${environmentIds}::uuid[])
    order by p.id`,
  );

export const find = async (query: Query, tenant: TenantId, promotion: PromotionId): Promise<Promotion | undefined> => {
  const row = await promotions.find(query, tenant, promotion);
  return row && one(query, tenant, row);
};

/** Reads a promotion with its approvals. @throws Fault RES_PROMOTION_NOT_FOUND */
export const get = async (query: Query, tenant: TenantId, promotion: PromotionId): Promise<Promotion> =>
  one(query, tenant, await promotions.get(query, tenant, promotion));

/** Reads a promotion and locks its row. @throws Fault RES_PROMOTION_NOT_FOUND */
export const getLocked = async (tx: Tx, tenant: TenantId, promotion: PromotionId): Promise<Promotion> =>
  one(tx, tenant, await promotions.getLocked(tx, tenant, promotion));

const parties = table('orchestrator.promotions parties', { subject: text });

/** Lists the people and clients that took part in these promotions and their releases. */
export const listParties = async (query: Query, tenant: TenantId, ids: readonly PromotionId[]) => {
  const rows = await query.list(
    parties,
    sql`/* orchestrator.promotions.listParties */
      select distinct party as subject
      from orchestrator.promotions p
      join orchestrator.releases r on r.tenant = p.tenant and r.id = p.release_id
      left join orchestrator.promotion_approvals a on a.tenant = p.tenant and a.promotion_id = p.id
      cross join lateral unnest(array[p.requested_by, r.created_by, r.finalized_by, a.actor]
        || p.requested_through || r.created_through || r.finalized_through || a.given_through) party
      where p.tenant = ${tenant} and p.id = any(${ids}::uuid[]) and party is not null`,
  );
  return rows.map(({ subject }) => subject);
};

export type NewPromotion = Omit<PromotionRow, 'createdAt' | 'version'>;

/** Inserts a promotion. @throws Fault PROM_ALREADY_EXISTS */
export const insert = async (tx: Tx, tenant: TenantId, values: NewPromotion): Promise<Promotion> => {
  const row = await onConflict(
    promotions.insert(tx, tenant, { ...values, updatedBy: values.requestedBy }),
    'promotions_open',
    () => openPromotionRefusal(values),
  );
  return { ...row, approvals: [] };
};

/**
 * Changes the state of a promotion that this transaction has locked; the same state again only increments the version.
 */
export const setState = async (tx: Tx, tenant: TenantId, promotion: PromotionId, state: PromotionState, by: string) =>
  one(
    tx,
    tenant,
    await promotions.update(tx, tenant, promotion, { state, updatedBy: by, updatedAt: sql`kernel.now()` }),
  );

/** Deployment that landed. */
interface Landed {
  readonly productId: Id<'Product'>;
  readonly environmentId: EnvironmentId;
  readonly promotionId: PromotionId;
}

/** Marks the product's deployed promotions to an environment as superseded by the one that landed. */
export const supersede = (tx: Tx, tenant: TenantId, landed: Landed, by: string) =>
  tx.list(
    promotions,
    sql`/* orchestrator.promotions.supersede */
    update orchestrator.promotions
    set state = 'superseded', updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and target_environment_id = ${landed.environmentId} and state = 'deployed'
      and id <> ${landed.promotionId}
      and release_id in (select id from orchestrator.releases where tenant = ${tenant} and product_id = ${landed.productId})
    returning ${promotions.columns}`,
  );
