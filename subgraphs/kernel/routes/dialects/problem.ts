import { STATUS_CODES } from 'node:http';
import type { Dialect } from '../route.ts';
import { challenge } from './challenge.ts';
import { retryAfter } from './retry-after.ts';

/** Dialect of RFC 9457 problem documents: scanner and registry tokens. */
export const problem: Dialect = {
  name: 'problem',
  // RFC 9457 3.1.2: the member is the status of the answer.
  withStatus: ({ body, ...answer }, status) => ({
    ...answer,
    status,
    body: JSON.stringify({ ...JSON.parse(String(body)), title: STATUS_CODES[status] ?? 'Error', status }),
  }),
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
