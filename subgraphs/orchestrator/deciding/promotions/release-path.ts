import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type * as environments from '../../catalogue/environments/environment.ts';
import { listPathEntries, type ProductId } from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import type { DeploymentHistory } from './ports.ts';
import * as store from './promotions.store.ts';
import type { RequestCase } from './request-rule.ts';

export interface ReleaseInEnvironment {
  readonly releaseId: releases.ReleaseId;
  readonly productId: ProductId;
  readonly environmentId: environments.EnvironmentId;
  /** Approvals that the step of the product's path needs. */
  readonly requiredApprovals: number;
  /** Newest promotion to the environment. */
  readonly promotion: store.Promotion | undefined;
  readonly asked: RequestCase;
}

/** Lists the steps of the product's path for each of these releases, in order. */
export const listReleasePaths = async (
  query: Query,
  tenant: TenantId,
  ids: readonly releases.ReleaseId[],
  history: DeploymentHistory,
): Promise<ReleaseInEnvironment[]> => {
  const found = await releases.listByIds(query, tenant, ids);
  const products = [...new Set(found.map(({ productId }) => productId))];
  const stepsByProduct = await listPathEntries(query, tenant, products);
  const all = await store.listByReleases(query, tenant, ids);
  const exclusive = [...stepsByProduct.values()]
    .flat()
    .flatMap(({ environment }) => (environment.isExclusive ? environment.id : []));
  const open = exclusive.length === 0 ? [] : await store.listOpenTo(query, tenant, [...new Set(exclusive)]);
  const landings = await history.listLanded(query, tenant, ids);
  return found.flatMap((release) => {
    const promotions = all.filter(({ releaseId }) => releaseId === release.id);
    const landed = landings.flatMap(({ releaseId, environmentId }) => (releaseId === release.id ? environmentId : []));
    const steps = stepsByProduct.get(release.productId) ?? [];
    return steps.map(({ environment }) => ({
      releaseId: release.id,
      productId: release.productId,
      environmentId: environment.id,
      requiredApprovals: environment.requiredApprovals,
      promotion: promotions.find(({ targetEnvironmentId }) => targetEnvironmentId === environment.id),
      asked: {
        release,
        environment,
        steps,
        landed,
        promotions,
        occupant: open.find((each) => each.environmentId === environment.id && each.productId !== release.productId),
      },
    }));
  });
};
