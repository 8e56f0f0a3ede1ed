import { Fault, invalid } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type, { type Static } from 'typebox';
import { labels } from '../../shared/labels.ts';

export type ProductId = Id<'Product'>;

const declaredComponent = Type.Object({ name: Type.String(), repository: Type.String(), required: Type.Boolean() });

/** Component that every release of a product may have, and must have if it is required. */
export type DeclaredComponent = Static<typeof declaredComponent>;

const products = table(
  'orchestrator.products',
  {
    id: id('Product'),
    /** Name of the product's releases. It never changes. */
    name: text,
    description: text.nullable(),
    ownerGroups: textArray,
    labels: json(labels),
    /** Null: releases choose their components. */
    components: json(Type.Array(declaredComponent)).nullable(),
    /** False: the path is the tenant's environments in order. */
    hasOwnPath: boolean,
    createdAt: instant,
    /** Set for a removed product, which only its releases and deployments find. */
    removedAt: instant.nullable(),
    version: integer,
  },
  {
    noun: 'product',
    live: sql`removed_at is null`,
    writes: {
      removedBy: text,
      createdBy: text,
      updatedBy: text,
      updatedAt: instant,
      /** Whether an event says that the product exists. */
      isPublished: boolean,
    },
  },
);

export const { find, findLocked, get, getLocked, listByIds, notFound } = products;

export type Product = RowOf<typeof products>;
export type NewProduct = Pick<Product, 'name'> &
  Partial<Omit<Product, 'id' | 'name' | 'createdAt' | 'removedAt' | 'version'>>;

export interface ProductFilter {
  readonly ownerGroup?: string;
  /** Labels that a product must have. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Lists products by name; `after` is the last name of the previous page. */
export const list = (
  query: Query,
  tenant: TenantId,
  { ownerGroup, labels: requested = {} }: ProductFilter,
  page: { readonly limit: number; readonly after?: string | undefined },
) =>
  products.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and removed_at is null and labels @> ${jsonb(requested)}::jsonb
      and (${ownerGroup ?? null}::text is null or ${ownerGroup ?? null} = any(owner_groups))
      and (${page.after ?? null}::text is null or name > ${page.after ?? null})
    order by name limit ${page.limit}`,
  );

/** Finds a product by its name and keeps it from being removed until the transaction ends. */
const byName = (tx: Tx, tenant: TenantId, name: string) =>
  products.findWhere(tx, 'findByName', sql`tenant = ${tenant} and name = ${name} and removed_at is null for share`);

const alreadyThere = (name: string): Fault =>
  new Fault('RES_ALREADY_EXISTS', `A product called ${name} is already there.`, { name });

/** Columns of a new product, whose creator publishes its event. */
const writes = (by: string) => ({ createdBy: by, updatedBy: by, isPublished: true });

const names = table('orchestrator.products.names', { name: text });

/**
 * Refuses the name of a new product that people would take for another one. Products that were there before keep theirs.
 * New names of a tenant that differ in case only wait for each other, until the transaction ends.
 * @throws Fault VAL_INVALID_FORMAT, RES_ALREADY_EXISTS
 */
const refuseLookalike = async (tx: Tx, tenant: TenantId, name: string): Promise<void> => {
  if (name !== name.trim())
    throw invalid([{ field: 'name', message: 'must not begin or end with a space', code: 'VAL_INVALID_FORMAT' }]);
  await tx.run(sql`/* orchestrator.products.lockName */
    select pg_advisory_xact_lock(hashtextextended('orchestrator.products/' || ${tenant} || '/' || lower(${name}), 0))`);
  const [other] = await tx.list(
    names,
    sql`/* orchestrator.products.listLookalikes */
    select name from orchestrator.products
    where tenant = ${tenant} and lower(name) = lower(${name}) and removed_at is null
    order by name = ${name} desc, name limit 1`,
  );
  if (other && other.name !== name) throw alreadyThere(other.name);
};

/** Finds the product of a release's name, or creates it without any settings of its own. */
export const ensure = async (tx: Tx, tenant: TenantId, newId: () => ProductId, name: string, by: string) => {
  const known = await byName(tx, tenant, name);
  if (known) return { product: known, isNew: false };
  await refuseLookalike(tx, tenant, name);
  const created = await products.insertIfAbsent(tx, tenant, { id: newId(), name, ...writes(by) });
  const product = created ?? (await byName(tx, tenant, name));
  if (!product) throw new TypeError(`product ${name} is neither there nor created`);
  return { product, isNew: created !== undefined };
};

/** Inserts a product. @throws Fault RES_ALREADY_EXISTS, VAL_INVALID_FORMAT */
export const insert = async (tx: Tx, tenant: TenantId, id: ProductId, values: NewProduct, by: string) => {
  await refuseLookalike(tx, tenant, values.name);
  return onConflict(products.insert(tx, tenant, { id, ...values, ...writes(by) }), 'products_name', () =>
    alreadyThere(values.name),
  );
};

type Changes = Omit<Parameters<typeof products.update>[3], 'updatedBy' | 'updatedAt'>;

export const update = (tx: Tx, tenant: TenantId, product: ProductId, changes: Changes, by: string): Promise<Product> =>
  products.update(tx, tenant, product, { ...changes, updatedBy: by, updatedAt: sql`kernel.now()` });

/** Removes a product: its name becomes free, and only its releases and deployments find it. */
export const remove = (tx: Tx, tenant: TenantId, product: ProductId, by: string): Promise<Product> =>
  update(tx, tenant, product, { hasOwnPath: true, removedAt: sql`kernel.now()`, removedBy: by }, by);

const unpublished = table('orchestrator.products.unpublished', { tenant: tenantId, id: id('Product') });

/** Lists products of all tenants without a published event. */
export const listUnpublished = (tx: Tx, limit: number) =>
  tx.list(
    unpublished,
    sql`/* orchestrator.products.listUnpublished */
    select tenant, id from orchestrator.products where not is_published order by tenant, id limit ${limit}`,
  );

/** Marks a product as published, which is no change of it. @returns the number of products: 1 or 0 */
export const markPublished = (tx: Tx, tenant: TenantId, product: ProductId): Promise<number> =>
  tx.run(sql`/* orchestrator.products.markPublished */
    update orchestrator.products set is_published = true where tenant = ${tenant} and id = ${product} and not is_published`);

const uses = table('orchestrator.products.uses', { targetId: id('Target'), name: text });

/** Lists the targets that belong to a product, by name. */
export const listTargets = (query: Query, tenant: TenantId, product: ProductId) =>
  query.list(
    uses,
    sql`/* orchestrator.products.listTargets */
    select id as target_id, name from orchestrator.targets
    where tenant = ${tenant} and product_id = ${product} and removed_at is null
    order by name, id`,
  );
