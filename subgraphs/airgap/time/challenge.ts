import { createHmac } from 'node:crypto';
import type { TenantId } from '@landfall/kernel/core/ids';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Secrets } from '@landfall/kernel/crypto/secrets';

const NONCE_BYTES = 16;
/** Earlier challenges by which an answer to one of them is told apart from an answer to nothing. */
const REMEMBERED = 20;

/** Challenge that the next anchor of a tenant answers. */
export interface Challenge {
  readonly nonce: string;
  /** Canonical JSON of the nonce and the tenant: the bytes that an authority stamps. */
  readonly data: string;
}

/**
 * Creates the challenges of tenants. A challenge derives from its number, which grows with each accepted anchor: nothing
 * is stored to show one, and each is answered once.
 */
export const createChallenges = ({ secrets }: { readonly secrets: Pick<Secrets, 'derive'> }) => {
  const key = secrets.derive('airgap-time-challenge');
  const of = (tenant: TenantId, number: number): Challenge => {
    const nonce = createHmac('sha256', key).update(`${tenant}\n${number}`).digest().subarray(0, NONCE_BYTES);
    return { nonce: nonce.toString('hex'), data: canonicalJson({ nonce: nonce.toString('hex'), tenantId: tenant }) };
  };
  return {
    of,
    /** Whether some test holds for a challenge before this one. */
    wasEarlier: (tenant: TenantId, number: number, isAnswered: (challenge: Challenge) => boolean): boolean =>
      Array.from({ length: Math.min(REMEMBERED, number - 1) }, (_, index) => of(tenant, number - 1 - index)).some(
        isAnswered,
      ),
  };
};

/** Nonce of a timestamp request for a challenge: eight bytes that are a positive integer in DER. */
export const requestNonceOf = ({ nonce }: Challenge): Buffer => {
  const bytes = Buffer.from(nonce, 'hex').subarray(0, 8);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
};
