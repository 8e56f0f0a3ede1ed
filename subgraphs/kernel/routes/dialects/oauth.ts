import { codes } from '@landfall/schema/codes';
import type { Fault } from '../../core/fault.ts';
import { type Dialect, json } from '../route.ts';
import { proofChallenge } from './challenge.ts';
import { quotable } from './quotable.ts';
import { retryAfter } from './retry-after.ts';

/** RFC 6749 5.2 has a fixed set of names; what is no code of OAuth becomes one of them. */
const nameOf = ({ code, status }: Fault): string => {
  const entry = codes[code];
  if ('wire' in entry) return entry.wire;
  if (/^[a-z_]+$/.test(code)) return code;
  if (status >= 500) return 'server_error';
  return status === 401 ? 'invalid_client' : 'invalid_request';
};

/** Dialect of OAuth errors, `{error, error_description}` (RFC 6749 5.2), never cached. */
export const oauth: Dialect = {
  name: 'oauth',
  answer: (fault) =>
    json(
      fault.status,
      { error: nameOf(fault), error_description: quotable(fault.message) },
      {
        'cache-control': 'no-store',
        ...(fault.status === 401 && { 'www-authenticate': 'Basic realm="landfall"' }),
        ...retryAfter(fault),
        ...proofChallenge(fault),
      },
    ),
};
