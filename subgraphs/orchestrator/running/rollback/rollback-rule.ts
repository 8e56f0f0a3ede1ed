import { Fault, invalid } from '@landfall/kernel/core/fault';
import { type Anatomy, classify, type FailureSubject } from '../deployments/anatomy.ts';
import { type Deployment, environmentBusy } from '../deployments/deployment.ts';
import { isEnded } from '../deployments/deployment-state.ts';
import type { PreflightReport } from '../preflight/preflight-rules.ts';

/** Earlier deployment of an environment, as the rules need it. */
export type Past = Pick<Deployment, 'id' | 'environmentId' | 'releaseId' | 'kind' | 'state' | 'landing'>;

/** Input that decides whether an environment can be rolled back, and to which deployment. */
export interface RollbackCase<D extends Past = Past> {
  readonly environmentId: string;
  /** Newest deployment of the environment; undefined if there is none. */
  readonly newest: D | undefined;
  /** Last verified deployment of each release in the environment, newest first. */
  readonly verified: readonly D[];
  /** Hold reasons of releases, by id. */
  readonly holds: ReadonlyMap<string, string>;
  /** Deployment to restore; the first choice by default. */
  readonly wanted?: string | undefined;
}

export interface Rollback<D extends Past = Past> {
  readonly undone: D;
  readonly restored: D;
}

/** States that a rollback can undo. A failed or cancelled deployment may leave a mixture, so it is among them. */
const UNDOABLE: ReadonlySet<Past['state']> = new Set(['completed', 'failed', 'cancelled']);

/** Lists verified deployments of other releases than the running one; those that were rolled back come last. */
const earlier = <D extends Past>({ newest, verified }: RollbackCase<D>): D[] => {
  if (!newest || !UNDOABLE.has(newest.state)) return [];
  const running = newest.state === 'completed' ? newest.releaseId : undefined;
  const others = verified.filter(({ releaseId }) => releaseId !== running);
  const isUndone = ({ state }: Past): boolean => state !== 'completed';
  return [...others.filter((deployment) => !isUndone(deployment)), ...others.filter(isUndone)];
};

/**
 * Lists the deployments that a rollback could restore, newest first, rolled-back ones last; the first is the default.
 */
export const rollbackChoices = <D extends Past>(ruleCase: RollbackCase<D>): D[] =>
  earlier(ruleCase).filter(({ releaseId }) => !ruleCase.holds.has(releaseId));

/** Refuses a rollback that names no product where several were deployed. */
export const productRefusal = (deployed: readonly unknown[]): Fault | undefined =>
  deployed.length > 1
    ? invalid([
        { field: 'productId', message: 'is required: several products were deployed here', code: 'VAL_REQUIRED_FIELD' },
      ])
    : undefined;

const nothing = ({ environmentId, wanted: requested }: RollbackCase, choices: readonly Past[]): Fault =>
  new Fault(
    'DEPLOY_NOTHING_TO_ROLLBACK',
    requested === undefined
      ? 'No other release has landed verified in this environment before.'
      : 'This environment cannot roll back to that deployment.',
    {
      environmentId,
      ...(requested !== undefined && { deploymentId: requested }),
      choices: choices.map(({ id }) => id),
    },
  );

const heldRelease = ({ id, releaseId }: Past, reason: string): Fault =>
  new Fault('REL_NOT_READY', `The release that would come back is on hold: ${reason}`, {
    release: releaseId,
    deploymentId: id,
    hold: reason,
  });

/**
 * Finds the deployment that a rollback undoes and the one that it restores, or the refusal. A hold on the release
 * prevents a rollback. A deprecation does not, since the release ran verified in the environment (decision 012).
 */
export const rollbackOf = <D extends Past>(ruleCase: RollbackCase<D>): Rollback<D> | Fault => {
  const { newest, holds, wanted: requested } = ruleCase;
  if (newest && !isEnded(newest)) return environmentBusy(newest);
  const choices = rollbackChoices(ruleCase);
  const restored = requested === undefined ? choices[0] : choices.find(({ id }) => id === requested);
  if (newest && restored) return { undone: newest, restored };
  const heldDeployment = earlier(ruleCase).find(
    ({ id, releaseId }) => holds.has(releaseId) && (requested ?? id) === id,
  );
  const reason = heldDeployment && holds.get(heldDeployment.releaseId);
  return heldDeployment && reason !== undefined ? heldRelease(heldDeployment, reason) : nothing(ruleCase, choices);
};

/** Refuses a rollback of an environment by facts that are known without network requests. */
export const rollbackRefusal = (ruleCase: RollbackCase): Fault | undefined => {
  const found = rollbackOf(ruleCase);
  return found instanceof Fault ? found : undefined;
};

/** Refuses to undo a deployment when a rollback of its environment would undo another one. */
export const undoRefusal = (deployment: Past, ruleCase: RollbackCase): Fault | undefined => {
  const refusal = rollbackRefusal(ruleCase);
  if (refusal || ruleCase.newest?.id === deployment.id) return refusal;
  return new Fault('RES_CONFLICT', 'Another deployment has taken the place of this one.', {
    state: deployment.state,
    allowed: [],
    newest: ruleCase.newest?.id ?? null,
  });
};

/** Hold reasons of the releases that are on hold, by id. */
export const holdReasons = (
  releases: readonly { readonly id: string; readonly hold: { readonly reason: string } | null }[],
): ReadonlyMap<string, string> => new Map(releases.flatMap(({ id, hold }) => (hold ? [[id, hold.reason]] : [])));

export const missingImagesRefusal = (
  { checks }: Pick<PreflightReport, 'checks'>,
  { restored }: Pick<Rollback, 'restored'>,
): Fault | undefined => {
  const images = checks.find(({ key }) => key === 'image-resolvable');
  if (images?.anatomy?.reason !== 'artifact-missing') return undefined;
  return new Fault('DEPLOY_NOTHING_TO_ROLLBACK', `What would come back is gone: ${images.detail}`, {
    environmentId: restored.environmentId,
    deploymentId: restored.id,
    gone: images.detail,
  });
};

/** Adapts the anatomy of a failed rollback to its stage; missing images become `no-verified-predecessor`. */
export const rollbackAnatomy = (anatomy: Anatomy, subject: FailureSubject): Anatomy =>
  anatomy.reason === 'artifact-missing'
    ? classify('rollback', 'no-verified-predecessor', anatomy.detail, subject)
    : { ...anatomy, stage: 'rollback' };
