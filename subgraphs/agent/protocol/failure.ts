import { Fault } from '@landfall/kernel/core/fault';
import type { FaultCode } from '@landfall/schema/codes';
import type { ErrorClass, StepName, StepReport } from './messages.ts';

type Failed = Extract<StepReport, { step: 'failed' }>;

const classes = new WeakMap<Error, ErrorClass>();

/** A failure that this agent saw and can name; `raw` is what it saw, word for word. */
export const failure = (code: FaultCode, errorClass: ErrorClass, raw: string, cause?: unknown): Fault => {
  const fault = new Fault(code, raw, { errorClass }, [], cause === undefined ? undefined : { cause });
  classes.set(fault, errorClass);
  return fault;
};

export const errorClassOf = (error: unknown): ErrorClass =>
  (error instanceof Error ? classes.get(error) : undefined) ?? 'unclassified';

/** The system's name of an error (`ENOSPC`), where it has one. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const diskFull = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Any error as what ends a task; `raw` is whole and as it was seen. */
export const failedReport = (error: unknown, during: StepName): Omit<Failed, 'log' | 'redacted'> => {
  const raw = error instanceof Error ? error.message : String(error);
  const base = { step: 'failed', during, raw } as const;
  if (error instanceof Fault) return { ...base, code: error.code, errorClass: errorClassOf(error) };
  if (diskFull.has(systemCode(error) ?? '')) return { ...base, code: 'DEPLOY_PULL_FAILED', errorClass: 'disk-full' };
  return { ...base, code: 'AGT_TASK_FAILED', errorClass: 'unclassified' };
};
