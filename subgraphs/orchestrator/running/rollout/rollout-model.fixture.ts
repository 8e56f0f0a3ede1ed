import type { Plan } from '../plan/plan.ts';

/**
 * Model of one deployment after design 3.3 and the contract of phases, gates and stops, written down a second time and
 * without a database: its state, its phases and its targets, and which of them their agent has something to do for.
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

export interface JobModel {
  readonly plan: Plan;
  /** Whether each phase works on every target. */
  readonly isOverlapping: boolean;
  state: JobState;
  readonly phases: PhaseStatus[];
  /** In the order of their names. */
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

export const isOver = ({ state }: JobModel): boolean => ['completed', 'failed', 'cancelled'].includes(state);

export const newJob = (plan: Plan): JobModel => {
  const isOverlapping = ['canary', 'blue_green'].includes(plan.strategy) && (plan.phases[0]?.weight ?? null) !== null;
  const places = plan.phases.flatMap(({ index, targetCount }) => Array.from({ length: targetCount }, () => index));
  return {
    plan,
    isOverlapping: isOverlapping && plan.phases.length > 1,
    state: 'queued',
    phases: plan.phases.map(() => 'pending'),
    targets: Array.from({ length: plan.targetCount }, (_, i) => ({
      state: 'pending',
      phase: isOverlapping && plan.phases.length > 1 ? 0 : (places[i] ?? 0),
      task: undefined,
    })),
  };
};

const isOpen = ({ state }: TargetModel): boolean => ['pending', 'running', 'held'].includes(state);

const takeBack = (job: JobModel): TargetModel[] =>
  job.targets.filter(
    (target) =>
      target.state !== 'succeeded' &&
      (target.task?.taken === true ||
        target.state === 'held' ||
        (job.isOverlapping && (target.phase > 0 || target.state === 'failed'))),
  );

const end = (job: JobModel, state: 'failed' | 'cancelling', held: PhaseStatus): TargetModel[] => {
  const back = takeBack(job);
  for (const target of job.targets) target.task = undefined;
  for (const target of back) target.task = { action: 'withdraw', taken: false };
  job.phases.forEach((status, i) => {
    if (status === 'pending') job.phases[i] = 'skipped';
    if (status === 'running') job.phases[i] = 'failed';
    if (status === 'held') job.phases[i] = held;
  });
  job.state = state;
  return back;
};

const fail = (job: JobModel, withTargets: boolean): void => {
  const running = withTargets ? job.phases.indexOf('running') : -1;
  end(job, 'failed', 'failed');
  for (const target of job.targets.filter(isOpen))
    target.state = target.state !== 'held' && target.phase === running ? 'failed' : 'cancelled';
};

const start = (job: JobModel, phase: number): void => {
  job.phases[phase] = 'running';
  for (const target of job.targets) {
    if (job.isOverlapping) target.phase = phase;
    if (target.phase !== phase) continue;
    target.state = 'pending';
    target.task = { action: 'apply', taken: false };
  }
};

/** Goes as far as the targets allow. */
const settle = (job: JobModel): void => {
  if (job.state === 'cancelling' && !job.targets.some(isOpen)) job.state = 'cancelled';
  if (job.state !== 'in_progress' && job.state !== 'manual') return;
  const running = job.phases.indexOf('running');
  if (running >= 0) {
    const inPhase = job.targets.filter(({ phase }) => phase === running);
    if (inPhase.some(({ state }) => state === 'pending' || state === 'running')) return;
    if (inPhase.some(({ state }) => state === 'failed')) {
      fail(job, true);
      return;
    }
    const isLast = running === job.phases.length - 1;
    job.phases[running] = !isLast && job.plan.phases[running]?.gate ? 'held' : 'done';
    if (isLast) job.state = 'completed';
    settle(job);
    return;
  }
  if (job.state === 'manual') return;
  if (job.phases.includes('held')) job.state = 'traffic_gate';
  else start(job, job.phases.indexOf('pending'));
};

/** The runner takes up what is queued. */
export const turn = (job: JobModel): void => {
  if (job.state !== 'queued') return;
  job.state = 'in_progress';
  settle(job);
};

/** An agent takes what a target is to do. */
export const take = (target: TargetModel): void => {
  if (target.task) target.task.taken = true;
};

/** An agent ends what it has taken. */
export const finish = (job: JobModel, target: TargetModel, isWell: boolean): void => {
  const { task } = target;
  target.task = undefined;
  if (task?.action === 'withdraw') {
    if (isOpen(target)) target.state = 'cancelled';
  } else if (!isWell) target.state = 'failed';
  else target.state = job.isOverlapping && target.phase < job.phases.length - 1 ? 'held' : 'succeeded';
  settle(job);
};

/** @returns the code of the refusal, or nothing */
export const control = (job: JobModel, what: Control, seen: number): string | undefined => {
  if (!ALLOWED[what].includes(job.state)) return 'RES_CONFLICT';
  const held = job.phases.indexOf('held');
  if (what === 'advance' && held !== seen) return 'RES_VERSION_CONFLICT';
  if (what === 'pause') job.state = 'manual';
  if (what === 'halt') fail(job, false);
  if (what === 'cancel') {
    const back = end(job, 'cancelling', 'done');
    for (const target of job.targets.filter(isOpen)) target.state = back.includes(target) ? 'running' : 'cancelled';
    settle(job);
  }
  if (what === 'advance') job.phases[held] = 'done';
  if (what === 'advance' || what === 'resume') {
    job.state = 'in_progress';
    settle(job);
  }
  return undefined;
};

/** The time of work is over; what waits has a day. */
export const expire = (job: JobModel, hasWaitedADay: boolean): void => {
  if (isOver(job) || (PAUSED.includes(job.state) && !hasWaitedADay)) return;
  if (job.state === 'cancelling') {
    for (const target of job.targets.filter(isOpen)) target.state = 'cancelled';
    settle(job);
  } else fail(job, true);
};
