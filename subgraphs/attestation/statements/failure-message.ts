import { Fault } from '@landfall/kernel/core/fault';
import { LogForked } from '../log/log-forked.ts';

const STEPS = {
  sign: 'it could not be signed',
  stamp: 'it has no timestamp that counts',
  log: 'it could not be brought into the log',
  submit: 'the external log did not take it',
} as const;

type Step = keyof typeof STEPS;

/** Rejection of an external log's answer, with a fixed message that is safe to show. */
export class RejectedAnswer extends Error {
  override readonly name = 'Unbelieved';
}

class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly step: Step;

  constructor(step: Step, cause: unknown) {
    super(`${STEPS[step]}: ${String(cause instanceof Error ? cause.message : cause)}`, { cause });
    this.step = step;
  }
}

/** Runs a step of an attempt. Throws StepFailed with the failure as its cause. */
export const runStep = async <T>(step: Step, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw new StepFailed(step, error);
  }
};

const reasonOf = (cause: unknown): string => {
  if (cause instanceof RejectedAnswer) return `: ${cause.message}`;
  if (cause instanceof LogForked) return ': the log contradicts what it signed';
  return cause instanceof Fault ? ` (${cause.code})` : '';
};

/** Message for tenants about a failed attempt in fixed words: an error's text may name files, devices or addresses. */
export const failureMessageOf = (error: unknown): string =>
  error instanceof StepFailed ? `${STEPS[error.step]}${reasonOf(error.cause)}` : 'something failed on our side';
