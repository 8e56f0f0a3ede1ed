import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { createLru } from '@landfall/kernel/core/lru';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import { thumbprintOf } from '@landfall/kernel/http/client-certificates';
import type { Dpop } from '@landfall/kernel/identity/dpop';
import { type Binding, type Holder, verifyAccessToken } from '@landfall/kernel/identity/edge';
import type { Keys } from '@landfall/kernel/identity/keys';
import type { RegistryTokenSettings } from '../settings/settings.ts';
import type { RollbackInput, TokenRequest } from './token-request.ts';

/** Verified access token: its holder and the required proofs. The denylist was not asked. */
export interface Verified {
  readonly holder: Holder & { readonly tenant: TenantId };
  readonly binding: Binding;
}

export type Sender = 'dpop' | 'mtls';

/** Cache lifetime of verified tokens; the denylist is asked for each request. */
const CACHE_MS = 5_000;
const MAX = 10_000;
const MAX_LENGTH = 8_192;

const LOOKS_SIGNED = /^[^.]+\.[^.]+\.[^.]*$/;

const HOW =
  'Ask the authority for one with a DPoP proof (RFC 9449) or over a connection with a client certificate (RFC 8705); `landfall registry login` does.';

const asTokenFault = (error: unknown): unknown =>
  error instanceof Fault && error.status === 401 ? new Fault('invalid_token', error.message) : error;

export const createAccessTokens = (
  { keys, clock }: { readonly keys: Keys; readonly clock: Clock },
  { authorityIssuer: issuer, audiences }: RegistryTokenSettings,
) => {
  const known = createLru<string, Verified>({ most: MAX, lifeMs: CACHE_MS, now: () => clock.now().getTime() });
  const options = { issuer, audience: [...audiences], keys, clock };

  const verify = async (token: string): Promise<Verified> => {
    if (token.length > MAX_LENGTH)
      throw new Fault('invalid_token', 'The access token is longer than any that the authority issues.');
    // Mostly a client's secret, with which standard clients log in elsewhere.
    if (!LOOKS_SIGNED.test(token))
      throw new Fault('invalid_token', `The password or token is not an access token. ${HOW}`);
    const { holder, binding } = await verifyAccessToken(token, options).catch((error: unknown) => {
      throw asTokenFault(error);
    });
    const { tenant } = holder;
    if (tenant === undefined) throw new Fault('invalid_token', 'The access token names no tenant (svc:tenant).');
    return { holder: { ...holder, tenant }, binding: binding ?? {} };
  };

  return {
    /** @throws Fault invalid_token */
    async verify(token: string): Promise<Verified> {
      const found = known.get(token);
      if (found) return found;
      const verified = await verify(token);
      known.set(token, verified);
      return verified;
    },
  };
};

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** Maps a failed proof to 401 with the required proof (RFC 9449 7.1, 9). */
const asProofFault = (error: unknown): unknown => {
  if (!(error instanceof Fault) || error.status !== 400) return error;
  return new Fault('invalid_token', error.message, { ...error.details, error: error.code });
};

/** Verifies that the token is bound and that the sender proves it (spec 5.3). Throws invalid_token, use_dpop_nonce. */
export const proveSender =
  (dpop: Pick<Dpop, 'prove'>, realm: string) =>
  async (
    { binding }: Verified,
    { accessToken, isDpopScheme }: RollbackInput,
    request: TokenRequest,
  ): Promise<Sender> => {
    const { jkt, 'x5t#S256': thumbprint } = binding;
    if (jkt === undefined && thumbprint === undefined)
      throw new Fault('invalid_token', `The access token is bound to neither a key nor a certificate. ${HOW}`);
    const { certificate, dpop: proof, method } = request;
    if (thumbprint !== undefined && !(certificate && constantTimeEqual(thumbprintOf(certificate), thumbprint)))
      throw new Fault('invalid_token', 'The access token is bound to a client certificate, but the request has none.');
    if (jkt === undefined) {
      if (isDpopScheme) throw new Fault('invalid_token', 'The access token is bound to no key: its scheme is Bearer.');
      return 'mtls';
    }
    const proved = await dpop.prove({ proof, method, url: realm, accessToken, jkt }).catch((error: unknown) => {
      throw asProofFault(error);
    });
    if (proved !== jkt)
      throw new Fault('invalid_token', 'The access token is bound to a key, but the request has no DPoP proof.', {
        error: 'invalid_dpop_proof',
      });
    return 'dpop';
  };
