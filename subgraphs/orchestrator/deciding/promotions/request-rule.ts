import { Fault } from '@landfall/kernel/core/fault';
import { missingBefore, type PathStep } from '../../catalogue/products/path.ts';
import { missingKinds } from '../../catalogue/releases/missing-evidence.ts';
import { promotableRefusal, type ReleaseState } from '../../catalogue/releases/release-rules.ts';
import type { EvidenceType, PromotionState } from '../../shared/enums.ts';
import { exclusiveRefusal, openPromotionRefusal } from './promotion-rules.ts';

interface EnvironmentModel {
  readonly id: string;
  readonly name: string;
}

interface EnvironmentStep {
  readonly environment: EnvironmentModel;
  readonly step: { readonly after: readonly string[]; readonly need: PathStep['need'] };
}

/** Facts that decide whether a release may enter an environment, by its product's path. */
export interface PathCase {
  readonly release: { readonly id: string; readonly name: string };
  readonly environment: EnvironmentModel;
  /** Steps of the product's path, in the order of the environments. */
  readonly steps: readonly EnvironmentStep[];
  /** Environments in which a deployment of the release completed and was verified. */
  readonly landed: readonly string[];
}

/** Input of the rule: release, environment and the release's earlier promotions. */
export interface RequestCase extends PathCase {
  readonly release: ReleaseState & {
    readonly id: string;
    readonly name: string;
    readonly evidence: readonly { readonly type: EvidenceType }[];
  };
  readonly environment: EnvironmentModel & { readonly requiredEvidence: readonly EvidenceType[] };
  /** Promotions of the release. */
  readonly promotions: readonly { readonly targetEnvironmentId: string; readonly state: PromotionState }[];
  /** Open promotion of another product, where the environment is exclusive. */
  readonly occupant?: { readonly promotionId: string; readonly productId: string } | undefined;
}

const open: ReadonlySet<PromotionState> = new Set(['pending', 'approved', 'deploying']);

export const isOpen = ({ state }: { readonly state: PromotionState }): boolean => open.has(state);

/** Environments of a list of ids, in the order of the steps. */
const namesOf = (steps: readonly EnvironmentStep[], ids: readonly string[]): string =>
  steps.flatMap(({ environment }) => (ids.includes(environment.id) ? environment.name : [])).join(', ');

/** Refuses an environment that is not on the product's path, or whose step waits for others to land verified. */
export const skipRefusal = ({ release, environment, steps, landed }: PathCase): Fault | undefined => {
  const entry = steps.find((each) => each.environment.id === environment.id);
  const details = { release: release.id, environment: environment.id };
  if (!entry)
    return new Fault('PROM_SKIP_ENVIRONMENT', `${environment.name} is not on the path of ${release.name}.`, {
      ...details,
      skipped: [],
    });
  const missing = missingBefore(entry.step, landed);
  if (missing.length === 0) return undefined;
  const skipped = steps.flatMap(({ environment: { id } }) => (missing.includes(id) ? id : []));
  const any = entry.step.need === 'any' && missing.length > 1 ? 'any of ' : '';
  return new Fault(
    'PROM_SKIP_ENVIRONMENT',
    `The release has not landed verified in ${any}${namesOf(steps, skipped)}.`,
    { ...details, skipped },
  );
};

/** Refuses a release without the evidence that the environment requires; that of the first ones makes a release ready. */
const evidenceRefusal = ({ release, environment }: RequestCase): Fault | undefined => {
  const missing = missingKinds(release, environment.requiredEvidence);
  if (missing.length === 0) return undefined;
  return new Fault('REL_NOT_READY', `The release lacks evidence for ${environment.name}: ${missing.join(', ')}.`, {
    missingEvidence: missing,
    environment: environment.id,
  });
};

/**
 * Refuses a promotion request: by the release's status, then by an open promotion of it, or of another product where the environment
 * is exclusive, then by the product's path, then by the evidence that the environment requires.
 */
export const requestRefusal = (ruleCase: RequestCase): Fault | undefined => {
  const { release, environment, promotions, occupant: otherPromotion } = ruleCase;
  const promotable = promotableRefusal(release);
  if (promotable) return promotable;
  if (promotions.some((promotion) => promotion.targetEnvironmentId === environment.id && isOpen(promotion)))
    return openPromotionRefusal({ releaseId: release.id, targetEnvironmentId: environment.id });
  if (otherPromotion) return exclusiveRefusal(environment, otherPromotion);
  return skipRefusal(ruleCase) ?? evidenceRefusal(ruleCase);
};
