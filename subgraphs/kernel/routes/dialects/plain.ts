import type { Fault } from '../../core/fault.ts';
import { type Dialect, json } from '../route.ts';
import { challenge } from './challenge.ts';
import { retryAfter } from './retry-after.ts';

/** Error text of a Fault; one of a field is its code and the field: `VAL_INVALID_VALUE: k must be <= 50`. */
const errorOf = ({ code, message, fields }: Fault): string => {
  if (code === 'PERM_SCOPE_DENIED') return message;
  const named = fields.map((each) => `${each.field} ${each.message}`.trim());
  return named.length === 0 ? code : `${code}: ${named.join('; ')}`;
};

/**
 * Dialect of search, exactly `{error}`: the code where the module or the platform owns one, the text where the text is
 * the contract.
 */
export const plain: Dialect = {
  name: 'plain',
  answer: (fault) => json(fault.status, { error: errorOf(fault) }, { ...retryAfter(fault), ...challenge(fault) }),
};
