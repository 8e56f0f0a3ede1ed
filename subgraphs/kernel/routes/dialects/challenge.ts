import type { Fault } from '../../core/fault.ts';
import { DPOP_ALGORITHMS } from '../../identity/dpop-key.ts';
import { quotable } from './quotable.ts';

const ALGORITHMS = `algs="${DPOP_ALGORITHMS.join(' ')}"`;

/** Challenges of both schemes for an access token, for a request without one: it has no error (RFC 6750 3.1). */
export const ANONYMOUS_CHALLENGE = `Bearer realm="landfall", DPoP ${ALGORITHMS}`;

/** Challenge with the reason why a proof was refused (RFC 9449 7.1, 9), in headers, where clients look for a nonce. */
export const proofChallenge = ({ details }: Fault): Record<string, string> => {
  const { error, nonce } = details ?? {};
  return {
    ...((error === 'use_dpop_nonce' || error === 'invalid_dpop_proof') && {
      'www-authenticate': `DPoP error="${error}", ${ALGORITHMS}`,
    }),
    ...(typeof nonce === 'string' && { 'dpop-nonce': nonce }),
  };
};

/** The first of the scopes of which any one suffices: the attribute lists scopes that are needed together. */
const scopeAttribute = ({ details }: Fault): string => {
  const [scope]: readonly unknown[] = Array.isArray(details?.anyOf) ? details.anyOf : [];
  return typeof scope === 'string' ? `, scope="${quotable(scope)}"` : '';
};

/** Refusal of an access token or its scopes (RFC 6750 3, RFC 9449 7.1 for a token that is bound to a key). */
const tokenChallenge = (fault: Fault): string | undefined => {
  const { code, message, details } = fault;
  const description = `error_description="${quotable(message)}"`;
  switch (code) {
    case 'AUTH_TOKEN_MISSING':
      return ANONYMOUS_CHALLENGE;
    case 'AUTH_TOKEN_INVALID':
    case 'AUTH_TOKEN_EXPIRED':
    case 'AUTH_TOKEN_REVOKED':
      return details?.binding === 'dpop'
        ? `DPoP realm="landfall", error="invalid_token", ${description}, ${ALGORITHMS}`
        : `Bearer realm="landfall", error="invalid_token", ${description}`;
    case 'PERM_SCOPE_DENIED':
      return `Bearer realm="landfall", error="insufficient_scope", ${description}${scopeAttribute(fault)}`;
    default:
      return undefined;
  }
};

/** Headers of a refusal that tell the holder of an access token what was wrong with the request's token. */
export const challenge = (fault: Fault): Record<string, string> => {
  const refused = tokenChallenge(fault);
  return { ...(refused !== undefined && { 'www-authenticate': refused }), ...proofChallenge(fault) };
};
