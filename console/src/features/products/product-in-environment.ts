import type {
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
  readonly current: { readonly id: string; readonly semver: string; readonly completedAt: string | null } | null;
  /** Newest deployment, while it is under way or once it has failed. */
  readonly unsettled: UnsettledDeployment | null;
  /** Newest promotion that waits. */
  readonly promotion: {
    readonly id: string;
    readonly releaseId: string;
    readonly semver: string;
    readonly state: PromotionState;
    /** Promotions that wait beside it. */
    readonly others: number;
  } | null;
}

interface UnsettledDeployment {
  readonly id: string;
  readonly semver: string;
  /** Null once it has failed. */
  readonly waitsFor: DeploymentWait | null;
}

/** Product in an environment by its cell of the portfolio. */
export function fromCell(cell: PortfolioCellFragment): ProductInEnvironment {
  const { deploymentId, semver, deployedAt: completedAt } = cell;
  return { ...cell, current: deploymentId && semver ? { id: deploymentId, semver, completedAt } : null };
}

export function fromEntity(entity: ProductInEnvironmentFragment): ProductInEnvironment {
  const { environment, states, currentDeployment: current, newestDeployment: newest, promotions } = entity;
  const [promotion] = promotions;
  const isUnsettled = newest !== null && (newest.waitsFor !== null || states.includes('FAILED'));
  return {
    environmentId: environment.id,
    states,
    current: current && { id: current.id, semver: current.release.semver, completedAt: current.completedAt },
    unsettled: isUnsettled ? { id: newest.id, semver: newest.release.semver, waitsFor: newest.waitsFor } : null,
    promotion: promotion
      ? {
          id: promotion.id,
          releaseId: promotion.release.id,
          semver: promotion.release.semver,
          state: promotion.state,
          others: promotions.length - 1,
        }
      : null,
  };
}

/** State of what is observed; undefined where nothing is. */
export const estateState = ({ states }: Pick<ProductInEnvironment, 'states'>): EstateState | undefined =>
  states.find((state) => state === 'DRIFT' || state === 'UNOBSERVED' || state === 'IN_SYNC');

/** Path of the page where the most urgent state is handled; undefined where nothing is. */
export function actionPath(
  productId: string,
  { environmentId, states, current, unsettled, promotion }: ProductInEnvironment,
): string | undefined {
  const [urgent] = states;
  if (urgent === 'DRIFT' || urgent === 'UNOBSERVED')
    return `/estate?env=${environmentId}&state=${urgent}&product=${productId}`;
  const isWaiting = urgent === 'FAILED' || unsettled?.waitsFor === 'PERSON';
  if (promotion && !isWaiting)
    return promotion.state === 'PENDING'
      ? `/inbox?item=${promotion.id}`
      : `/releases/${promotion.releaseId}/deploy?env=${environmentId}`;
  const visible = unsettled ?? current;
  return visible ? `/deployments/${visible.id}` : undefined;
}
