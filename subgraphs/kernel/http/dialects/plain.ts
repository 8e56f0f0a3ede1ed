import { type Dialect, json } from '../route.ts';
import { challenge } from './challenge.ts';
import { retryAfter } from './retry-after.ts';

/** Exactly `{error}`: search. The code where the module or the platform owns one, the text where it is the contract. */
export const plain: Dialect = {
  name: 'plain',
  answer: (fault) =>
    json(
      fault.status,
      { error: fault.code === 'PERM_SCOPE_DENIED' ? fault.message : fault.code },
      { ...retryAfter(fault), ...challenge(fault) },
    ),
};
