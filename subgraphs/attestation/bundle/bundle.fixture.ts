import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { sha256Bytes, sha256Hex } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { inclusionPath, leafHash, rootOf } from '@landfall/kernel/crypto/merkle';
import type { Signer, SigningPurpose, VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { signCheckpoint } from '../signature/checkpoint.ts';
import { hashedRekordBody } from '../signature/hashed-rekord.ts';
import { ed25519KeyId } from '../signature/signed-note.ts';
import { IN_TOTO_PAYLOAD_TYPE } from '../signature/statement.ts';
import type { AuthorityCertificates } from '../timestamps/timestamp.ts';
import { createBundle } from './create-bundle.ts';
import { keyDetails } from './trust.ts';
import { createTrust } from './trust-documents.ts';

/** Platform in memory for tests: a signing key, a log with a few entries, and bundles of them. */

export const ORIGIN = 'landfall.example';
export const PREDICATE_TYPE = 'https://landfall.example/predicates/deployment@v1';
export const SUBJECT = 'ab'.repeat(32);
export const DEPLOYMENT = '0197c0de-0000-7000-8000-000000000001';

const START = new Date('2026-01-01T00:00:00Z');

interface TestKey extends Signer {
  readonly privateKey: KeyObject;
}

export const createKey = (algorithm: Signer['algorithm']): TestKey => {
  const { publicKey, privateKey } =
    algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const digest = algorithm === 'ed25519' ? null : 'sha256';
  return {
    keyId: sha256Hex(spki),
    publicKey,
    privateKey,
    spki,
    algorithm,
    sign: async (bytes) => sign(digest, bytes, privateKey),
  };
};

export const verificationKey = (
  { keyId, algorithm, spki }: Signer,
  purpose: SigningPurpose,
  validUntil: Date | null = null,
): VerificationKey => ({ keyId, purpose, algorithm, spki, validFrom: START, validUntil });

export const statement = (subject: string = SUBJECT): Buffer =>
  Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'registry.example/shop', digest: { sha256: subject } }],
      predicateType: PREDICATE_TYPE,
      predicate: { deploymentId: DEPLOYMENT, environment: 'prod' },
    }),
  );

export interface TestPlatform {
  readonly signer: TestKey;
  readonly logKey: TestKey;
  /** Trust document as a platform publishes it. */
  readonly trust: string;
  /** Creates a bundle of this payload, whose entry is the eighth of the log. */
  bundle(payload?: Buffer, payloadType?: string): Promise<string>;
}

export interface PlatformOptions {
  readonly signer?: TestKey;
  readonly authority?: AuthorityCertificates & { timestamp(signature: Buffer): Promise<Buffer> };
  readonly earlierLogKeys?: readonly VerificationKey[];
  readonly signerEnds?: Date;
  /** Size of the log when the signing key ended. */
  readonly signerEndsAt?: number;
  readonly logKeyEnds?: Date;
}

const earlier = Array.from({ length: 7 }, (_, index) => leafHash(Buffer.from(`earlier entry ${index}`)));

export const createPlatform = (options: PlatformOptions = {}): TestPlatform => {
  const { authority, earlierLogKeys = [], signerEnds = null, logKeyEnds = null } = options;
  const { signer = createKey('ecdsa-p256-sha256'), signerEndsAt } = options;
  const sizes = new Map(signerEnds && signerEndsAt !== undefined ? [[signerEnds.getTime(), signerEndsAt]] : []);
  const logKey = createKey('ed25519');
  const keys = [verificationKey(logKey, 'log', logKeyEnds), ...earlierLogKeys];
  const log = { origin: ORIGIN, keyId: ed25519KeyId(ORIGIN, logKey.spki), keys };
  return {
    signer,
    logKey,
    trust: createTrust({
      platformDomain: 'landfall.example',
      logs: [{ origin: ORIGIN, sizes }],
      logKeys: keys,
      keys: [verificationKey(signer, 'attestation', signerEnds)],
      authorities: authority ? [authority] : [],
    }),
    bundle: async (payload = statement(), payloadType = IN_TOTO_PAYLOAD_TYPE) => {
      const signed = pae(payloadType, payload);
      const signature = await signer.sign(signed);
      const paeDigest = sha256Bytes(signed);
      const body = hashedRekordBody({
        paeDigest,
        signature,
        spki: signer.spki,
        keyDetails: keyDetails[signer.algorithm],
      });
      const leaves = [...earlier, leafHash(body)];
      const tree = { size: leaves.length, rootHash: rootOf(leaves) };
      return createBundle({
        payload,
        payloadType,
        signature,
        keyId: signer.keyId,
        entry: {
          index: earlier.length,
          body,
          treeSize: tree.size,
          rootHash: tree.rootHash,
          hashes: inclusionPath(earlier.length, leaves),
          checkpoint: await signCheckpoint(ORIGIN, tree, logKey),
        },
        log,
        timestamps: authority ? [await authority.timestamp(signature)] : [],
      });
    },
  };
};

/**
 * Verifies a bundle by Sigstore's library alone, given the trusted root and the key: the check of an independent
 * client.
 */
export const acceptsAlone = (bundle: string, trustText: string): boolean => {
  const trust = JSON.parse(trustText);
  const [key] = trust.keys;
  const publicKey = createPublicKey({ key: Buffer.from(key.rawBytes, 'base64'), format: 'der', type: 'spki' });
  const material = toTrustMaterial(TrustedRoot.fromJSON(trust.trustedRoot), (hint) => {
    if (hint !== key.hint) throw new Error('unknown key');
    return { publicKey, validFor: () => true };
  });
  try {
    new Verifier(material, { timestampThreshold: trust.trustedRoot.timestampAuthorities.length }).verify(
      toSignedEntity(bundleFromJSON(JSON.parse(bundle))),
    );
    return true;
  } catch {
    return false;
  }
};
