import { athOf, proofBy, proofKey } from '@landfall/kernel/testing/dpop';

/** Request that a DPoP proof is for. */
interface Proved {
  readonly method: string;
  readonly url: string;
  /** The access token that comes along. */
  readonly token?: string | undefined;
  /** Claims beside those of every proof. */
  readonly more?: object;
}

/** Creates DPoP proofs with one key, each valid once (RFC 9449). */
export const createProofs = (): ((proved: Proved) => string) => {
  const key = proofKey();
  return ({ method, url, token, more = {} }) =>
    proofBy(key, {
      claims: {
        ...more,
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1_000),
        ...(token !== undefined && { ath: athOf(token) }),
      },
    });
};

export type Proofs = ReturnType<typeof createProofs>;
