import type { SigningKeys } from '@landfall/kernel/signing/signer';
import { type AuthorityCertificates, createTrust, createTrustedRoot } from '../attestation/trusted-root.ts';
import type { TransparencyLog } from '../tlog/transparency-log.ts';
import { parseTrust, type Trust } from './trust.ts';

export interface TrustSettings {
  readonly platformDomain: string;
  readonly log: Pick<TransparencyLog, 'identity'>;
  readonly keys: Pick<SigningKeys, 'list' | 'signer'>;
  readonly authorities: readonly AuthorityCertificates[];
}

/** The documents that a platform publishes, and what its own verifier goes by: the same. */
export interface TrustSource {
  documents(): Promise<{ readonly trust: string; readonly trustedRoot: string }>;
  current(): Promise<Trust>;
}

/** Made of the keys as they are at each call, so that a rotation is published at once; read anew only when it changed. */
export const createTrustSource = ({ platformDomain, log, keys, authorities }: TrustSettings): TrustSource => {
  let read: { readonly text: string; readonly trust: Trust } | undefined;

  const documents = async () => {
    const { origin, keys: logKeys } = await log.identity();
    // Makes the first key, where nothing was signed yet: a document without keys trusts nobody.
    await keys.signer('attestation');
    const parts = {
      platformDomain,
      log: { origin, keys: logKeys },
      keys: await keys.list('attestation'),
      authorities,
    };
    return { trust: createTrust(parts), trustedRoot: createTrustedRoot(parts) };
  };

  return {
    documents,
    async current() {
      const { trust: text } = await documents();
      if (read?.text !== text) read = { text, trust: parseTrust(text) };
      return read.trust;
    },
  };
};
