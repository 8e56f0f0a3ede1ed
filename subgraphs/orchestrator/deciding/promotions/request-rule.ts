import { Fault } from '@landfall/kernel/core/fault';
import { promotableRefusal, type ReleaseState } from '../../catalogue/releases/release-rules.ts';
import type { PromotionState } from '../../shared/enums.ts';
import { openPromotionRefusal } from './promotion-rules.ts';

interface Stage {
  readonly id: string;
  readonly name: string;
  readonly orderIndex: number;
}

/** Input of the rule: release, environment and the release's earlier promotions. */
export interface RequestCase {
  readonly release: ReleaseState & { readonly id: string };
  readonly environment: Stage;
  /** All environments of the tenant. */
  readonly path: readonly Stage[];
  /** Environments in which a deployment of the release completed and was verified. */
  readonly landed: readonly string[];
  /** Promotions of the release. */
  readonly promotions: readonly { readonly targetEnvironmentId: string; readonly state: PromotionState }[];
}

const open: ReadonlySet<PromotionState> = new Set(['pending', 'approved', 'deploying']);

export const isOpen = ({ state }: { readonly state: PromotionState }): boolean => open.has(state);

const below = (path: readonly Stage[], { orderIndex }: Stage): Stage[] =>
  path.filter((stage) => stage.orderIndex < orderIndex).toSorted((a, b) => a.orderIndex - b.orderIndex);

/** Finds the environment that directly precedes one in the promotion path, if any. */
export const precedingStage = <S extends Stage>(path: readonly S[], { orderIndex }: Stage): S | undefined =>
  path.filter((stage) => stage.orderIndex < orderIndex).toSorted((a, b) => b.orderIndex - a.orderIndex)[0];

/** Refuses a promotion request: by the release's status, then by an open promotion, then by the promotion path. */
export const requestRefusal = ({ release, environment, path, landed, promotions }: RequestCase): Fault | undefined => {
  const standing = promotableRefusal(release);
  if (standing) return standing;
  if (promotions.some((promotion) => promotion.targetEnvironmentId === environment.id && isOpen(promotion)))
    return openPromotionRefusal({ releaseId: release.id, targetEnvironmentId: environment.id });
  const skipped = below(path, environment).filter(({ id }) => !landed.includes(id));
  return skipped.length === 0
    ? undefined
    : new Fault(
        'PROM_SKIP_ENVIRONMENT',
        `The release has not landed verified in ${skipped.map(({ name }) => name).join(', ')}.`,
        { release: release.id, environment: environment.id, skipped: skipped.map(({ id }) => id) },
      );
};
