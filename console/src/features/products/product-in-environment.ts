import type {
  DeploymentStatus,
  DeploymentWait,
  EstateState,
  PortfolioCellFragment,
  ProductInEnvironmentFragment,
  ProductState,
  PromotionState,
} from '../../generated/operations.ts';

/** States of a product in an environment, the most urgent first. */
export const PRODUCT_STATES = [
  'FAILED',
  'DRIFT',
  'UNOBSERVED',
  'WAITING',
  'UNDER_WAY',
  'IN_SYNC',
] as const satisfies readonly ProductState[];

/** Product in an environment, as a cell of the portfolio or a step of its path shows it. */
export interface ProductInEnvironment {
  readonly environmentId: string;
  /** The most urgent first; none where nothing is and nothing waits. */
  readonly states: readonly ProductState[];
  readonly estate: EstateState | null;
  readonly current: { readonly id: string; readonly semver: string; readonly completedAt: string | null } | null;
  readonly newest: {
    readonly id: string;
    readonly semver: string;
    readonly status: DeploymentStatus;
    readonly waitsFor: DeploymentWait | null;
  } | null;
  /** Newest promotion that waits. */
  readonly promotion: {
    readonly id: string;
    readonly state: PromotionState;
    readonly releaseId: string;
    readonly semver: string;
  } | null;
  /** Promotions that wait beside it. */
  readonly otherPromotions: number;
}

/** Product in an environment by its cell of the portfolio, whose ids and versions come together. */
export function fromCell(cell: PortfolioCellFragment): ProductInEnvironment {
  const { environmentId, states, state: estate, deploymentId, semver, deployedAt: completedAt } = cell;
  const { newestDeploymentId, newestSemver, newestStatus: status, waitsFor } = cell;
  const { promotionId, promotionState, promotionReleaseId, promotionSemver, pending, approved } = cell;
  return {
    environmentId,
    states,
    estate,
    current: deploymentId !== null && semver !== null ? { id: deploymentId, semver, completedAt } : null,
    newest:
      newestDeploymentId !== null && newestSemver !== null && status !== null
        ? { id: newestDeploymentId, semver: newestSemver, status, waitsFor }
        : null,
    promotion:
      promotionId !== null && promotionState !== null && promotionReleaseId !== null && promotionSemver !== null
        ? { id: promotionId, state: promotionState, releaseId: promotionReleaseId, semver: promotionSemver }
        : null,
    otherPromotions: Math.max(0, pending + approved - 1),
  };
}

export function fromEntity(entity: ProductInEnvironmentFragment): ProductInEnvironment {
  const { environment, states, state: estate, currentDeployment, newestDeployment, promotions } = entity;
  const [promotion, ...others] = promotions;
  return {
    environmentId: environment.id,
    states,
    estate,
    current: currentDeployment && {
      id: currentDeployment.id,
      semver: currentDeployment.release.semver,
      completedAt: currentDeployment.completedAt,
    },
    newest: newestDeployment && { ...newestDeployment, semver: newestDeployment.release.semver },
    promotion: promotion
      ? {
          id: promotion.id,
          state: promotion.state,
          releaseId: promotion.release.id,
          semver: promotion.release.semver,
        }
      : null,
    otherPromotions: others.length,
  };
}

type Deployment = NonNullable<ProductInEnvironment['newest']>;

/** Newest deployment, if it failed. */
export const failedDeployment = ({ newest, states }: ProductInEnvironment): Deployment | undefined =>
  newest !== null && states.includes('FAILED') ? newest : undefined;

/** Newest deployment, if it has not ended. */
export const activeDeployment = ({ newest }: Pick<ProductInEnvironment, 'newest'>): Deployment | undefined =>
  newest === null || newest.waitsFor === null ? undefined : newest;

/** Path of the page where the most urgent state is handled; undefined where nothing is. */
export function actionPath(product: ProductInEnvironment): string | undefined {
  const { environmentId, states, current, newest, promotion } = product;
  const [urgent] = states;
  if (urgent === 'DRIFT' || urgent === 'UNOBSERVED') return `/estate?env=${environmentId}&state=${urgent}`;
  if (urgent === 'FAILED' || newest?.waitsFor === 'PERSON') return newest ? `/deployments/${newest.id}` : undefined;
  if (promotion?.state === 'PENDING') return `/inbox?item=${promotion.id}`;
  if (promotion) return `/releases/${promotion.releaseId}/deploy?env=${environmentId}`;
  const shown = activeDeployment(product) ?? current;
  return shown ? `/deployments/${shown.id}` : undefined;
}
