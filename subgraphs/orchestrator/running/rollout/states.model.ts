import type { Decision, PromotionState, ReleaseStatus } from '../../shared/enums.ts';

/**
 * Model of releases, promotions and deployments, written independently from design 3.1 to 3.3 and without a database.
 */

export const persons = ['operator', 'approver', 'second-approver'] as const;
export type Actor = (typeof persons)[number];

export interface ReleaseModel {
  status: ReleaseStatus;
  isHeld: boolean;
}

export interface PromotionModel {
  readonly release: number;
  readonly place: number;
  state: PromotionState;
  readonly requestedBy: Actor;
  readonly approvedBy: Actor[];
  deployment?: 'queued' | 'in_progress';
}

export interface Model {
  readonly releases: readonly ReleaseModel[];
  readonly promotions: PromotionModel[];
  /** Releases that landed verified, by environment. */
  readonly landed: readonly Set<number>[];
}

/** Promotion path: number of approvals that each environment needs, the first environment first. */
export const approvalsNeeded = [1, 2] as const;

type Code = string | undefined;
type Row = Readonly<Record<PromotionState, Code>>;

const over = (code: string) => ({ deployed: code, failed: code, superseded: code });

/** Refusals of design 3.2; absent where the operation is allowed. */
const table = {
  approve: {
    pending: undefined,
    approved: 'PROM_ALREADY_APPROVED',
    rejected: 'PROM_ALREADY_REJECTED',
    cancelled: 'PROM_ALREADY_CANCELLED',
    deploying: 'PROM_NOT_PENDING',
    ...over('PROM_NOT_PENDING'),
  },
  reject: {
    pending: undefined,
    approved: 'PROM_NOT_PENDING',
    rejected: 'PROM_ALREADY_REJECTED',
    cancelled: 'PROM_ALREADY_CANCELLED',
    deploying: 'PROM_NOT_PENDING',
    ...over('PROM_NOT_PENDING'),
  },
  cancel: {
    pending: undefined,
    approved: undefined,
    rejected: 'PROM_ALREADY_REJECTED',
    cancelled: 'PROM_ALREADY_CANCELLED',
    deploying: 'PROM_DEPLOYING',
    ...over('PROM_INVALID_STATE'),
  },
  launch: {
    pending: 'PROM_APPROVER_REQUIRED',
    approved: undefined,
    rejected: 'PROM_INVALID_STATE',
    cancelled: 'PROM_INVALID_STATE',
    deploying: 'DEPLOY_IN_PROGRESS',
    ...over('PROM_INVALID_STATE'),
  },
} as const satisfies Readonly<Record<string, Row>>;

export type ReleaseAct = 'finalize' | 'markReady' | 'hold' | 'clearHold' | 'deprecate';
export type Landing = 'verified' | 'unverified' | 'mismatch' | 'failed';

const isFixed = ({ status }: ReleaseModel): boolean => status === 'finalized' || status === 'ready';
const noMove = 'REL_INVALID_STATUS_TRANSITION';

/** Refusals of design 3.1; undefined where the release accepts the operation. */
export const releaseAct = (release: ReleaseModel, operation: ReleaseAct): Code => {
  switch (operation) {
    case 'finalize':
      if (release.status !== 'draft') return 'REL_ALREADY_FINALIZED';
      release.status = 'finalized';
      return undefined;
    case 'markReady':
      if (release.status !== 'finalized') return noMove;
      if (release.isHeld) return 'REL_NOT_READY';
      release.status = 'ready';
      return undefined;
    case 'hold':
      if (!isFixed(release)) return noMove;
      release.isHeld = true;
      return undefined;
    case 'clearHold':
      if (!isFixed(release)) return noMove;
      if (!release.isHeld) return 'RES_CONFLICT';
      release.isHeld = false;
      return undefined;
    case 'deprecate':
      if (!isFixed(release)) return noMove;
      release.status = 'deprecated';
      return undefined;
  }
};

const promotableCode = ({ status, isHeld: isOnHold }: ReleaseModel): Code => {
  if (status === 'deprecated') return 'REL_DEPRECATED';
  return status === 'ready' && !isOnHold ? undefined : 'REL_NOT_READY';
};

const isOpen = ({ state }: PromotionModel): boolean => ['pending', 'approved', 'deploying'].includes(state);

export const request = (model: Model, release: number, index: number, by: Actor): Code => {
  const components = model.releases[release];
  const refused = components && promotableCode(components);
  if (refused !== undefined) return refused;
  if (model.promotions.some((each) => each.release === release && each.place === index && isOpen(each)))
    return 'PROM_ALREADY_EXISTS';
  for (let below = 0; below < index; below++) if (!model.landed[below]?.has(release)) return 'PROM_SKIP_ENVIRONMENT';
  model.promotions.push({ release, place: index, state: 'pending', requestedBy: by, approvedBy: [] });
  return undefined;
};

export const approve = (promotion: PromotionModel, by: Actor, hasSeen: boolean): Code => {
  if (by === promotion.requestedBy) return 'PERM_SELF_APPROVAL';
  // The operator creates every release, and no environment lets an author approve.
  if (by === 'operator') return 'PERM_SOD_VIOLATION';
  if (!hasSeen) return 'RES_VERSION_CONFLICT';
  const refused = table.approve[promotion.state];
  if (refused !== undefined) return refused;
  if (promotion.approvedBy.includes(by)) return 'RES_ALREADY_EXISTS';
  promotion.approvedBy.push(by);
  if (promotion.approvedBy.length >= (approvalsNeeded[promotion.place] ?? 0)) promotion.state = 'approved';
  return undefined;
};

const ends = { reject: 'rejected', cancel: 'cancelled' } as const satisfies Record<string, Decision | PromotionState>;

export const decide = (promotion: PromotionModel, operation: 'reject' | 'cancel'): Code => {
  const refused = table[operation][promotion.state];
  if (refused !== undefined) return refused;
  promotion.state = ends[operation];
  return undefined;
};

const inProgress = (model: Model, index: number): PromotionModel | undefined =>
  model.promotions.find((each) => each.place === index && each.deployment !== undefined);

export const launch = (model: Model, promotion: PromotionModel, by: Actor): Code => {
  const [only, ...others] = promotion.approvedBy;
  if (only === by && others.length === 0) return 'PERM_SOD_VIOLATION';
  const release = model.releases[promotion.release];
  const refused = (release && promotableCode(release)) ?? table.launch[promotion.state];
  if (refused !== undefined) return refused;
  if (inProgress(model, promotion.place)) return 'DEPLOY_IN_PROGRESS';
  promotion.state = 'deploying';
  promotion.deployment = 'queued';
  return undefined;
};

/** Runs the runner: starts queued deployments. */
export const turn = (model: Model): void => {
  for (const promotion of model.promotions) if (promotion.deployment === 'queued') promotion.deployment = 'in_progress';
};

/** Passes the deadline of every running deployment. */
export const expire = (model: Model): void => {
  for (const promotion of model.promotions)
    if (promotion.deployment !== undefined) {
      promotion.state = 'failed';
      delete promotion.deployment;
    }
};

/** Reports the end of an environment's task; returns false when there was none. */
export const land = (model: Model, index: number, how: Landing): boolean => {
  const promotion = inProgress(model, index);
  if (promotion?.deployment !== 'in_progress') return false;
  delete promotion.deployment;
  if (how === 'mismatch' || how === 'failed') {
    promotion.state = 'failed';
    return true;
  }
  for (const each of model.promotions) if (each.place === index && each.state === 'deployed') each.state = 'superseded';
  promotion.state = 'deployed';
  if (how === 'verified') model.landed[index]?.add(promotion.release);
  return true;
};
