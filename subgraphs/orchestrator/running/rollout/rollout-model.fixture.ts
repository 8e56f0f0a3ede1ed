import type { Plan } from '../plan/plan.ts';

/**
 * Model of one deployment, written independently from design 3.3 and without a database: its state, phases and targets,
 * and which targets have a task for their agent.
 */

export type JobState =
  | 'queued'
  | 'in_progress'
  | 'traffic_gate'
  | 'manual'
  | 'completed'
  | 'failed'
  | 'cancelling'
  | 'cancelled';
export type PhaseStatus = 'pending' | 'running' | 'held' | 'done' | 'failed' | 'skipped';
export type TargetState = 'pending' | 'running' | 'held' | 'succeeded' | 'failed' | 'cancelled';

export interface TargetModel {
  state: TargetState;
  phase: number;
  task: undefined | { readonly action: 'apply' | 'withdraw'; taken: boolean };
}

export interface DeploymentModel {
  readonly plan: Plan;
  /** Whether each phase includes every target. */
  readonly isOverlapping: boolean;
  state: JobState;
  readonly phases: PhaseStatus[];
  /** Targets by name. */
  readonly targets: readonly TargetModel[];
}

export type Control = 'pause' | 'resume' | 'advance' | 'halt' | 'cancel';

const PAUSED: readonly JobState[] = ['traffic_gate', 'manual'];

const ALLOWED: Readonly<Record<Control, readonly JobState[]>> = {
  pause: ['in_progress'],
  resume: ['manual'],
  advance: ['traffic_gate'],
  halt: ['in_progress', ...PAUSED],
  cancel: ['queued', 'in_progress', ...PAUSED],
};

export const isOver = ({ state }: DeploymentModel): boolean => ['completed', 'failed', 'cancelled'].includes(state);

export const newDeployment = (plan: Plan): DeploymentModel => {
  const isOverlapping = ['canary', 'blue_green'].includes(plan.strategy) && (plan.phases[0]?.weight ?? null) !== null;
  const taskSlots = plan.phases.flatMap(({ index, targetCount }) => Array.from({ length: targetCount }, () => index));
  return {
    plan,
    isOverlapping: isOverlapping && plan.phases.length > 1,
    state: 'queued',
    phases: plan.phases.map(() => 'pending'),
    targets: Array.from({ length: plan.targetCount }, (_, i) => ({
      state: 'pending',
      phase: isOverlapping && plan.phases.length > 1 ? 0 : (taskSlots[i] ?? 0),
      task: undefined,
    })),
  };
};

const isOpen = ({ state }: TargetModel): boolean => ['pending', 'running', 'held'].includes(state);

const withdrawAll = (deployment: DeploymentModel): TargetModel[] =>
  deployment.targets.filter(
    (target) =>
      target.state !== 'succeeded' &&
      (target.task?.taken === true ||
        target.state === 'held' ||
        (deployment.isOverlapping && (target.phase > 0 || target.state === 'failed'))),
  );

const end = (deployment: DeploymentModel, state: 'failed' | 'cancelling', heldPhase: PhaseStatus): TargetModel[] => {
  const back = withdrawAll(deployment);
  for (const target of deployment.targets) target.task = undefined;
  for (const target of back) target.task = { action: 'withdraw', taken: false };
  deployment.phases.forEach((status, i) => {
    if (status === 'pending') deployment.phases[i] = 'skipped';
    if (status === 'running') deployment.phases[i] = 'failed';
    if (status === 'held') deployment.phases[i] = heldPhase;
  });
  deployment.state = state;
  return back;
};

const fail = (deployment: DeploymentModel, withTargets: boolean): void => {
  const running = withTargets ? deployment.phases.indexOf('running') : -1;
  end(deployment, 'failed', 'failed');
  for (const target of deployment.targets.filter(isOpen))
    target.state = target.state !== 'held' && target.phase === running ? 'failed' : 'cancelled';
};

const start = (deployment: DeploymentModel, phase: number): void => {
  deployment.phases[phase] = 'running';
  for (const target of deployment.targets) {
    if (deployment.isOverlapping) target.phase = phase;
    if (target.phase !== phase) continue;
    target.state = 'pending';
    target.task = { action: 'apply', taken: false };
  }
};

/** Advances the deployment as far as its targets allow. */
const settle = (deployment: DeploymentModel): void => {
  if (deployment.state === 'cancelling' && !deployment.targets.some(isOpen)) deployment.state = 'cancelled';
  if (deployment.state !== 'in_progress' && deployment.state !== 'manual') return;
  const running = deployment.phases.indexOf('running');
  if (running >= 0) {
    const inPhase = deployment.targets.filter(({ phase }) => phase === running);
    if (inPhase.some(({ state }) => state === 'pending' || state === 'running')) return;
    if (inPhase.some(({ state }) => state === 'failed')) {
      fail(deployment, true);
      return;
    }
    const isLast = running === deployment.phases.length - 1;
    deployment.phases[running] = !isLast && deployment.plan.phases[running]?.gate ? 'held' : 'done';
    if (isLast) deployment.state = 'completed';
    settle(deployment);
    return;
  }
  if (deployment.state === 'manual') return;
  if (deployment.phases.includes('held')) deployment.state = 'traffic_gate';
  else start(deployment, deployment.phases.indexOf('pending'));
};

/** Runs the runner: starts a queued deployment. */
export const turn = (deployment: DeploymentModel): void => {
  if (deployment.state !== 'queued') return;
  deployment.state = 'in_progress';
  settle(deployment);
};

/** Leases a target's task to its agent. */
export const lease = (target: TargetModel): void => {
  if (target.task) target.task.taken = true;
};

/** Ends the task of a target. */
export const finish = (deployment: DeploymentModel, target: TargetModel, isWell: boolean): void => {
  const { task } = target;
  target.task = undefined;
  if (task?.action === 'withdraw') {
    if (isOpen(target)) target.state = 'cancelled';
  } else if (!isWell) target.state = 'failed';
  else target.state = deployment.isOverlapping && target.phase < deployment.phases.length - 1 ? 'held' : 'succeeded';
  settle(deployment);
};

/**
 * Applies a control.
 * @returns code of the refusal, or undefined
 */
export const control = (deployment: DeploymentModel, name: Control, acknowledged: number): string | undefined => {
  if (!ALLOWED[name].includes(deployment.state)) return 'RES_CONFLICT';
  const heldPhase = deployment.phases.indexOf('held');
  if (name === 'advance' && heldPhase !== acknowledged) return 'RES_VERSION_CONFLICT';
  if (name === 'pause') deployment.state = 'manual';
  if (name === 'halt') fail(deployment, false);
  if (name === 'cancel') {
    const back = end(deployment, 'cancelling', 'done');
    for (const target of deployment.targets.filter(isOpen))
      target.state = back.includes(target) ? 'running' : 'cancelled';
    settle(deployment);
  }
  if (name === 'advance') deployment.phases[heldPhase] = 'done';
  if (name === 'advance' || name === 'resume') {
    deployment.state = 'in_progress';
    settle(deployment);
  }
  return undefined;
};

/** Passes the deadline: that of work, and for a waiting deployment one day. */
export const expire = (deployment: DeploymentModel, hasWaitedADay: boolean): void => {
  if (isOver(deployment) || (PAUSED.includes(deployment.state) && !hasWaitedADay)) return;
  if (deployment.state === 'cancelling') {
    for (const target of deployment.targets.filter(isOpen)) target.state = 'cancelled';
    settle(deployment);
  } else fail(deployment, true);
};
