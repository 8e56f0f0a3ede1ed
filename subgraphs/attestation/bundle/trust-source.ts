import { Fault } from '@landfall/kernel/core/fault';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { TransparencyLog } from '../log/transparency-log.ts';
import type { AuthorityCertificates } from '../timestamps/timestamp.ts';
import { parseTrust, type Trust } from './trust.ts';
import { createSigningConfig, createTrust, createTrustedRoot } from './trust-documents.ts';

/** Message of the refusal before the platform has signed anything. */
export const NO_KEY_YET = 'The platform has no key yet that signs statements.';

interface TrustSettings {
  readonly platformDomain: string;
  readonly log: Pick<TransparencyLog, 'history'>;
  /** Public parts of the keys: these documents are public, so that no key device or file is accessed. */
  readonly keys: Pick<SigningKeys, 'list'>;
  readonly authorities: () => Promise<readonly AuthorityCertificates[]>;
}

/**
 * Provides the trust documents that the platform publishes and its own verifier uses. Without keys a document would
 * trust nothing, so there is none before the attestor has created them. Built from the current keys at each call, so
 * that a rotation is published at once; parsed again only after a change.
 * @throws Fault SYS_SERVICE_UNAVAILABLE before the first key
 */
export const createTrustSource = ({ platformDomain, log, keys, authorities }: TrustSettings) => {
  let read: { readonly text: string; readonly trust: Trust } | undefined;

  const documents = async () => {
    const [signers, logKeys] = await Promise.all([keys.list('attestation'), keys.list('log')]);
    if (signers.length === 0 || logKeys.length === 0) throw new Fault('SYS_SERVICE_UNAVAILABLE', NO_KEY_YET);
    const logs = await log.history(signers.flatMap(({ validUntil }) => validUntil ?? []));
    const parts = { platformDomain, logs, logKeys, keys: signers, authorities: await authorities() };
    return {
      trust: createTrust(parts),
      trustedRoot: createTrustedRoot(parts),
      signingConfig: createSigningConfig(parts),
    };
  };

  return {
    documents,
    async current(): Promise<Trust> {
      const { trust: text } = await documents();
      if (read?.text !== text) read = { text, trust: parseTrust(text) };
      return read.trust;
    },
  };
};

export type TrustSource = ReturnType<typeof createTrustSource>;
