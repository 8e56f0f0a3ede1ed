import { STATUS_CODES } from 'node:http';
import type { Dialect } from '../route.ts';
import { challenge } from './challenge.ts';
import { retryAfter } from './retry-after.ts';

/** Dialect of RFC 9457 problem documents: scanner and registry tokens. */
export const problem: Dialect = {
  name: 'problem',
  answer: (fault, requestId) => ({
    status: fault.status,
    headers: { 'content-type': 'application/problem+json', ...retryAfter(fault), ...challenge(fault) },
    body: JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[fault.status] ?? 'Error',
      status: fault.status,
      detail: fault.message,
      code: fault.code,
      requestId,
      ...(fault.fields.length > 0 && { errors: fault.fields }),
    }),
  }),
};
