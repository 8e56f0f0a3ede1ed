import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const schema = table('orchestrator.products schema', { exists: boolean });

/** Whether the database has products: a role without the orchestrator may start before the first one with it. */
export const hasProducts = async (query: Query): Promise<boolean> => {
  const { exists } = await query.get(
    schema,
    sql`/* orchestrator.products.hasSchema */
    select to_regclass('orchestrator.products') is not null
      and to_regclass('orchestrator.component_platforms') is not null as exists`,
  );
  return exists;
};

const products = table('orchestrator.products identified', { id: id('Product') });

/** Whether a product exists and is not removed. */
export const isProduct = (query: Query, tenant: TenantId, productId: Id<'Product'>): Promise<boolean> =>
  products.existsWhere(query, 'isPresent', sql`tenant = ${tenant} and id = ${productId} and removed_at is null`);

const images = table('orchestrator.release_components images', { digest: text, productId: id('Product') });

/** Products with a release that is no draft and has one of the images, by the image index or by a platform. */
export const listOfImages = (query: Query, tenant: TenantId, digests: readonly string[]) =>
  query.list(
    images,
    sql`/* orchestrator.release_components.listProductsOfImages */
    select c.digest, r.product_id from (
      select digest, release_id from orchestrator.release_components
      where tenant = ${tenant} and digest = any(${digests}::text[])
      union
      select digest, release_id from orchestrator.component_platforms
      where tenant = ${tenant} and digest = any(${digests}::text[])) c
    join orchestrator.releases r on r.tenant = ${tenant} and r.id = c.release_id and r.status <> 'draft'
    group by c.digest, r.product_id`,
  );
