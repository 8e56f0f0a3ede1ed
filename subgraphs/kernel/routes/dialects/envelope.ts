import type { Fault } from '../../core/fault.ts';
import { type Dialect, json } from '../route.ts';
import { challenge } from './challenge.ts';
import { retryAfter } from './retry-after.ts';

const errorOf = ({ code, message, details, fields }: Fault) => ({
  code,
  message,
  ...(details && { details }),
  ...(fields.length > 0 && { validationErrors: fields.map(({ field, message, code }) => ({ field, message, code })) }),
});

/** Dialect of the common envelope of spec 2.11: orchestrator, notifier, artifacts, air-gap. */
export const envelope: Dialect = {
  name: 'envelope',
  answer: (fault, requestId, now) =>
    json(
      fault.status,
      { success: false, error: errorOf(fault), meta: { requestId, timestamp: now.toISOString() } },
      { ...retryAfter(fault), ...challenge(fault) },
    ),
};
