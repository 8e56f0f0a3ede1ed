import { STAGES, type StageName, type StageState } from '../../lib/stages.ts';
import { measured } from '../../lib/time.ts';

/** Step as the agent reported it, or as the server recorded it. */
type Step = { readonly stage: string; readonly step: string; readonly at: string };

/** Stage of the rail. `note` is its length once it is known. */
type Stage = { readonly stage: string; readonly state: StageState; readonly note: string | undefined };

/** Whether a target works, waits at a gate, or has come to its end. */
export type TargetProgress = 'working' | 'held' | 'ended';

/**
 * Nine stages of a target from its steps: a stage that steps name was reached; the last one reached is running
 * until the target ends or waits at the gate, which is running then; the stage of the anatomy failed. A stage lasts
 * until the next one begins.
 */
export function targetStages(steps: readonly Step[], failedAt: string | undefined, progress: TargetProgress): Stage[] {
  const reached = STAGES.filter((stage) => stage === failedAt || steps.some((step) => step.stage === stage));
  const last = reached.at(-1);
  return STAGES.map((stage) => {
    const state = stateOf(stage, { reached, last, failedAt, progress });
    return { stage, state, note: state === 'done' || state === 'failed' ? lasting(steps, stage) : undefined };
  });
}

type TargetRun = {
  readonly reached: readonly StageName[];
  readonly last: StageName | undefined;
  readonly failedAt: string | undefined;
  readonly progress: TargetProgress;
};

function stateOf(stage: StageName, { reached, last, failedAt, progress }: TargetRun): StageState {
  if (stage === failedAt) return 'failed';
  if (progress === 'held' && stage === 'traffic-gate') return 'running';
  if (reached.includes(stage)) return stage === last && progress === 'working' ? 'running' : 'done';
  const passed = last !== undefined && STAGES.indexOf(stage) < STAGES.indexOf(last);
  return passed || (progress === 'ended' && failedAt === undefined) ? 'unused' : 'unreached';
}

function lasting(steps: readonly Step[], stage: string): string | undefined {
  const first = steps.findIndex((step) => step.stage === stage);
  const begin = steps[first];
  if (begin === undefined) return undefined;
  const after = steps.findIndex((step, index) => index > first && step.stage !== stage);
  const end = steps[after < 0 ? steps.length - 1 : after] ?? begin;
  if (end === begin) return undefined;
  return measured(Math.max(0, new Date(end.at).getTime() - new Date(begin.at).getTime()));
}
