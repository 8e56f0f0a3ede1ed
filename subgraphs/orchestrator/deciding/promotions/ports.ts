import type { Who } from '@landfall/kernel/core/caller';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Environment } from '../../catalogue/environments/environment.ts';
import type { Release } from '../../catalogue/releases/release.ts';
import type { EndedDeployment } from './outcome-rule.ts';
import type { Promotion } from './promotions.store.ts';

/** A promotion with its release and environment. */
export interface PromotionCase {
  readonly promotion: Promotion;
  readonly release: Release;
  readonly environment: Environment;
}

export interface ApprovalStatements {
  /** Records that the promotion has the approvals it needs, in the transaction of the last approval. */
  approved(tx: Tx, caller: Who, about: PromotionCase): Promise<void>;
}

/** Past deployments of releases. */
export interface DeploymentHistory {
  /** Lists the environments in which each release has landed. */
  listLanded(
    query: Query,
    tenant: TenantId,
    releaseIds: readonly Id<'Release'>[],
  ): Promise<readonly { readonly releaseId: Id<'Release'>; readonly environmentId: Id<'Environment'> }[]>;
  /** Finds the last ended deployment of each release's digests in each environment. */
  listEnded(query: Query, tenant: TenantId, releaseIds: readonly Id<'Release'>[]): Promise<readonly EndedDeployment[]>;
}
