// Deployments of products in environments: what is in effect, what runs, and what a rollback offers.
import type { TenantId } from '@landfall/kernel/core/ids';
import { id } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { hasEnded, isInEffect } from './deployment-state.ts';
import { deployments, isIn, type ProductEnvironment } from './deployments.store.ts';

/** Lists the current deployment of each product in each environment: the newest that completed and was not undone. */
export const listCurrentIn = (query: Query, tenant: TenantId, productEnvironments: readonly ProductEnvironment[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.deployments.listCurrentIn */
    select distinct on (product_id, environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and ${isIn(productEnvironments)} and ${isInEffect}
    order by product_id, environment_id, created_at desc, id desc`,
  );

/** Lists the running deployments of every product in these environments. */
export const listActiveAt = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  deployments.listWhere(
    query,
    'listActiveAt',
    sql`tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[]) and not ${hasEnded}`,
  );

/** Lists the current deployments of an environment's products: of each the newest that completed and was not undone. */
export const listCurrentOfAll = (query: Query, tenant: TenantId) =>
  query.list(
    deployments,
    sql`/* orchestrator.deployments.listCurrentOfAll */
    select distinct on (product_id, environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and ${isInEffect}
    order by product_id, environment_id, created_at desc, id desc`,
  );

/** Lists the newest deployment of each environment that completed and was not undone, of any product. */
export const listCurrentByEnvironments = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.deployments.listCurrentByEnvironments */
    select distinct on (environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[])
      and ${isInEffect}
    order by environment_id, created_at desc, id desc`,
  );

/** Lists the running deployments of each environment, of any product. */
export const listActiveByEnvironments = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  deployments.listWhere(
    query,
    'listActiveByEnvironments',
    sql`tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[]) and not ${hasEnded}
      order by created_at desc, id desc`,
  );

/** Limit of releases that a rollback offers. */
const MAX_CHOICES = 20;

/** Lists the newest deployment of each environment, of any product. */
export const listNewestByEnvironments = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.rollback.listNewestByEnvironments */
    select distinct on (environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[])
    order by environment_id, created_at desc, id desc`,
  );

/** Lists the newest deployment of each product in each environment by the database's clock: ids come from servers. */
export const listNewestIn = (query: Query, tenant: TenantId, productEnvironments: readonly ProductEnvironment[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.rollback.listNewestIn */
    select distinct on (product_id, environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and ${isIn(productEnvironments)}
    order by product_id, environment_id, created_at desc, id desc`,
  );

/** Lists the last verified deployment of each release of a product in an environment, newest first. */
export const listVerifiedIn = (query: Query, tenant: TenantId, productEnvironments: readonly ProductEnvironment[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.rollback.listVerifiedIn */
    select ${deployments.columns} from (
      select *, row_number() over (partition by product_id, environment_id order by created_at desc, id desc) as nth
      from (
        select distinct on (product_id, environment_id, release_id) * from orchestrator.deployments
        where tenant = ${tenant} and ${isIn(productEnvironments)}
          and landing = 'verified' and state in ('completed', 'rollback_in_progress', 'rolled_back', 'rollback_failed')
        order by product_id, environment_id, release_id, created_at desc, id desc
      ) as of_release
    ) as numbered
    where nth <= ${MAX_CHOICES}
    order by product_id, environment_id, created_at desc, id desc`,
  );

const deployedProducts = table('orchestrator.rollback.products', {
  environmentId: id('Environment'),
  productId: id('Product'),
});

/** Lists the products that were deployed to each environment and are not removed. */
export const listProductsByEnvironments = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  query.list(
    deployedProducts,
    sql`/* orchestrator.rollback.listProductsByEnvironments */
    select environment.id as environment_id, p.id as product_id
    from orchestrator.products as p cross join unnest(${environmentIds}::uuid[]) as environment (id)
    where p.tenant = ${tenant} and p.removed_at is null
      and exists (select from orchestrator.deployments as d
        where d.tenant = ${tenant} and d.product_id = p.id and d.environment_id = environment.id)`,
  );
