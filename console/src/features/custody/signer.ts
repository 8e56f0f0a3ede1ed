import type { ChainStatementFragment } from '../../generated/operations.ts';
import { t } from './labels.ts';

const FINGERPRINT = /^[0-9a-f]{64}$/;

/** Name of the signer: the tenant's name for it, the platform, an identity, or a short fingerprint. */
export function signerName({
  signer,
  signedBy,
  attestation,
}: Pick<ChainStatementFragment, 'signer' | 'signedBy' | 'attestation'>): string | undefined {
  if (signedBy === null) return undefined;
  if (signer !== null) return signer;
  if (attestation !== null) return t('chain.platform');
  return FINGERPRINT.test(signedBy) ? `${signedBy.slice(0, 8)}…${signedBy.slice(-4)}` : signedBy;
}
