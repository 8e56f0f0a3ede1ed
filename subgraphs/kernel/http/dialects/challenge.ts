import { DPOP_ALGORITHMS } from '../../dpop-key.ts';
import type { Fault } from '../../fault.ts';

/** How a proof was refused (RFC 9449 7.1, 9): in the headers too, where clients look for a nonce to try again with. */
export const challenge = ({ details }: Fault): Record<string, string> => {
  const { error, nonce } = details ?? {};
  return {
    ...((error === 'use_dpop_nonce' || error === 'invalid_dpop_proof') && {
      'www-authenticate': `DPoP error="${error}", algs="${DPOP_ALGORITHMS.join(' ')}"`,
    }),
    ...(typeof nonce === 'string' && { 'dpop-nonce': nonce }),
  };
};
