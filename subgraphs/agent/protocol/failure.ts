import { Fault } from '@landfall/kernel/core/fault';
import type { FaultCode } from '@landfall/schema/codes';
import type { ErrorClass, StepName, StepReport } from './messages.ts';

type Failed = Extract<StepReport, { step: 'failed' }>;

const classes = new WeakMap<Error, ErrorClass>();

/** Creates a failure of known cause; `raw` is the verbatim output of what failed. */
export const failure = (code: FaultCode, errorClass: ErrorClass, raw: string, cause?: unknown): Fault => {
  const fault = new Fault(code, raw, { errorClass }, [], cause === undefined ? undefined : { cause });
  classes.set(fault, errorClass);
  return fault;
};

export const errorClassOf = (error: unknown): ErrorClass =>
  (error instanceof Error ? classes.get(error) : undefined) ?? 'unclassified';

/** Error code of the system (`ENOSPC`), if any. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const diskFull = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Converts any error to a failed report; `raw` is its complete message. */
export const failedReport = (error: unknown, during: StepName): Omit<Failed, 'log' | 'redacted'> => {
  const raw = error instanceof Error ? error.message : String(error);
  const base = { step: 'failed', during, raw } as const;
  if (error instanceof Fault) return { ...base, code: error.code, errorClass: errorClassOf(error) };
  if (diskFull.has(systemCode(error) ?? '')) return { ...base, code: 'DEPLOY_PULL_FAILED', errorClass: 'disk-full' };
  return { ...base, code: 'AGT_TASK_FAILED', errorClass: 'unclassified' };
};
