import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import * as environments from '../environments/environment.ts';
import { defaultPath, type Path, type PathStep, stepOf } from './path.ts';
import * as steps from './path-steps.store.ts';
import * as store from './products.store.ts';
import { withPolicy } from './step-policy.ts';

export const { ensure, find, findLocked, get, getLocked, list, listByIds, notFound } = store;
export type Product = store.Product;
export type ProductId = store.ProductId;

/** Step of a product's path with its environment, whose settings include the policy of the step. */
export interface PathEntry {
  readonly environment: environments.Environment;
  readonly step: PathStep;
}

/** Path entry with the edges of its drawing. */
export interface DrawnPathEntry extends PathEntry {
  readonly directlyAfter: readonly environments.EnvironmentId[];
}

export interface ProductInEnvironment {
  readonly productId: store.ProductId;
  readonly environmentId: environments.EnvironmentId;
}

const entriesOf = (all: readonly environments.Environment[], path: Path): PathEntry[] =>
  all.flatMap((environment) => {
    const step = stepOf(path, environment.id);
    return step ? [{ environment: withPolicy(environment, step.policy), step }] : [];
  });

/** Lists the path entries of each product, in the order of the environments. */
export const listPathEntries = async (query: Query, tenant: TenantId, productIds: readonly store.ProductId[]) => {
  const all = await environments.list(query, tenant);
  const common = entriesOf(all, defaultPath(all));
  const products = await store.listByIds(query, tenant, productIds);
  const own = products.flatMap(({ id, hasOwnPath }) => (hasOwnPath ? [id] : []));
  const rows = own.length === 0 ? [] : await steps.listByProducts(query, tenant, own);
  const byProduct = Map.groupBy(rows, ({ productId }) => productId);
  return new Map(
    products.map(({ id, hasOwnPath }) => [id, hasOwnPath ? entriesOf(all, byProduct.get(id) ?? []) : common]),
  );
};

/** Lists the path entries of one product, in the order of the environments. */
export const listPathEntriesOf = async (
  query: Query,
  tenant: TenantId,
  product: store.ProductId,
): Promise<PathEntry[]> => (await listPathEntries(query, tenant, [product])).get(product) ?? [];

/** Finds the path entry of a product for an environment; one that is not on its path has no step. */
export const findPathEntry = async (
  query: Query,
  tenant: TenantId,
  product: store.ProductId,
  environmentId: environments.EnvironmentId,
): Promise<{ readonly environment: environments.Environment; readonly step: PathStep | undefined } | undefined> => {
  const entry = (await listPathEntriesOf(query, tenant, product)).find(
    ({ environment }) => environment.id === environmentId,
  );
  if (entry) return entry;
  const environment = await environments.find(query, tenant, environmentId);
  return environment && { environment, step: undefined };
};

/** Environments of the last steps of a path: those that no other step comes after. */
export const lastEnvironments = (entries: readonly PathEntry[]): environments.Environment[] => {
  const followed = new Set(entries.flatMap(({ step }) => step.after));
  return entries.flatMap(({ environment }) => (followed.has(environment.id) ? [] : environment));
};
