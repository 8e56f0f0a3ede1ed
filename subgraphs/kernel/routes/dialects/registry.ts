import { STATUS_CODES } from 'node:http';
import { codes } from '@landfall/schema/codes';
import type { Fault } from '../../core/fault.ts';
import type { Dialect } from '../route.ts';
import { ANONYMOUS_CHALLENGE, proofChallenge } from './challenge.ts';
import { quotable } from './quotable.ts';
import { retryAfter } from './retry-after.ts';

/** The name of OAuth and RFC 6750 3.1; what is no code of theirs becomes one of them. */
const nameOf = ({ code, status, details }: Fault): string => {
  if (details?.error === 'use_dpop_nonce') return details.error;
  const entry = codes[code];
  if ('wire' in entry) return entry.wire;
  if (/^[a-z_]+$/.test(code)) return code;
  if (status >= 500) return 'server_error';
  return status === 401 ? 'invalid_token' : 'invalid_request';
};

/** distribution's error codes for whom a registry turns away; a failure of ours has our own. */
const registryCode = ({ code, status }: Fault): string =>
  status >= 500 ? code : status === 401 ? 'UNAUTHORIZED' : 'DENIED';

/** RFC 6750 3: reason and sufficient scope in the header; without credentials only the accepted schemes. */
const challengeOf = (fault: Fault): Record<string, string> => {
  const { status, details, message } = fault;
  if (status >= 500) return {};
  if (details?.isAnonymous === true) return { 'www-authenticate': ANONYMOUS_CHALLENGE };
  const scope = typeof details?.scope === 'string' ? `, scope="${quotable(details.scope)}"` : '';
  const about = `error="${nameOf(fault)}", error_description="${quotable(message)}"${scope}`;
  const { 'www-authenticate': proof, ...nonce } = proofChallenge(fault);
  const bearer = `Bearer realm="landfall", ${about}`;
  return { 'www-authenticate': proof === undefined ? bearer : `${bearer}, ${proof}`, ...nonce };
};

/** Dialect of the registry token service: problem documents with the errors of RFC 6750 and distribution-spec. */
export const registry: Dialect = {
  name: 'registry',
  // A wrong method does not concern credentials, so it has no challenge.
  withStatus: ({ headers: { 'www-authenticate': _challenge, ...headers } = {}, body }, status) => ({
    status,
    headers,
    body: JSON.stringify({ ...JSON.parse(String(body)), title: STATUS_CODES[status] ?? 'Error', status }),
  }),
  answer: (fault) => ({
    status: fault.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...retryAfter(fault),
      ...challengeOf(fault),
    },
    body: JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[fault.status] ?? 'Error',
      status: fault.status,
      detail: fault.message,
      error: nameOf(fault),
      errors: [{ code: registryCode(fault), message: fault.message }],
    }),
  }),
};
