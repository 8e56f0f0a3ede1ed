import type { KeyObject } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import type { SigningKeys, VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import type { Deps } from '@landfall/kernel/module';
import { ASN1Obj } from '@sigstore/core';
import * as store from './built-in-certificates.store.ts';
import { createTimestampChain } from './built-in-certificates.ts';
import type { AuthorityCertificates } from './timestamp.ts';
import { type SignerCertificate, timestampResponse } from './timestamp-response.ts';

interface OwnAuthorityDeps extends Pick<Deps, 'database'> {
  readonly keys: SigningKeys;
  readonly platformDomain: string;
}

/** Reads the issuer and the serial number that identify a signer's certificate (RFC 5280 4.1). */
export const signerCertificateOf = (certificate: Buffer): SignerCertificate => {
  const [tbs] = ASN1Obj.parseBuffer(Buffer.from(Uint8Array.from(certificate).buffer)).subs;
  const [, serialNumber, , issuer] = tbs?.subs ?? [];
  if (!serialNumber || !issuer) throw new TypeError('the certificate of the timestamp key cannot be read');
  return { certificate, issuer: issuer.toDER(), serialNumber: serialNumber.value };
};

/**
 * Creates the timestamp authority of an installation without an external one (RFC 3161). Its key is a sealed signing
 * key of the purpose `timestamp`; a rotation takes effect with the next timestamp. The platform attests its own times
 * here: they satisfy clients that require a timestamp, but do not count when a key has ended (`Times.isIndependent`).
 */
export const createBuiltInAuthority = ({ database, keys, platformDomain }: OwnAuthorityDeps) => {
  const chains = new Map<string, store.ChainRow>();

  const load = async (): Promise<void> => {
    for (const row of await database.system.read(store.list)) chains.set(row.keyId, row);
  };

  const chainOf = async ({ keyId, validFrom }: VerificationKey, publicKey: KeyObject) => {
    if (!chains.has(keyId)) await load();
    if (!chains.has(keyId)) {
      const created = await createTimestampChain(publicKey, { begin: validFrom, platformDomain });
      await database.system.write((tx) => store.insert(tx, { keyId, ...created }));
      await load();
    }
    const found = chains.get(keyId);
    if (!found) throw new TypeError(`the timestamp key ${keyId} has no certificate`);
    return found;
  };

  /** Reads the current key and its chain, again if a rotation happened between the two statements. */
  const current = async () => {
    const signer = await keys.signer('timestamp');
    const known = (await keys.list('timestamp')).find(({ keyId }) => keyId === signer.keyId);
    if (!known) throw new Fault('SYS_SERVICE_UNAVAILABLE', 'The timestamp key was rotated a moment ago. Try again.');
    return { signer, chain: await chainOf(known, signer.publicKey) };
  };

  return {
    async timestamp(signature: Uint8Array): Promise<Buffer> {
      const { signer, chain } = await current();
      const at = await database.system.read(store.getTime);
      return timestampResponse(signature, at, signerCertificateOf(chain.certificate), signer);
    },
    /** Lists the chains of every key that ever signed timestamps, for the trust document. */
    async authorities(): Promise<readonly AuthorityCertificates[]> {
      const known = await keys.list('timestamp');
      if (known.some(({ keyId }) => !chains.has(keyId))) await load();
      return known.flatMap(({ keyId, validFrom, validUntil }) => {
        const chain = chains.get(keyId);
        if (!chain) return [];
        const certificates = [chain.certificate, chain.root];
        return [{ uri: `https://${platformDomain}`, operator: platformDomain, certificates, validFrom, validUntil }];
      });
    },
  };
};
