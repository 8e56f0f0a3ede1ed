import { canonicalJson } from '@landfall/kernel/crypto/jcs';

/** Length limit of a body in bytes: an entry bundle stores the length in two bytes (C2SP tlog-tiles). */
export const MAX_BODY_BYTES = 65_535;

/** Algorithm of a signature, as Sigstore's protobuf-specs name it. */
export type KeyDetails = 'PKIX_ECDSA_P256_SHA_256' | 'PKIX_ED25519';

/** Entry of Rekor v2 for a signature over a digest. */
interface HashedRekord {
  readonly paeDigest: Uint8Array;
  /** Signature; ECDSA in DER. */
  readonly signature: Uint8Array;
  /** SubjectPublicKeyInfo of the signing key, DER. */
  readonly spki: Uint8Array;
  readonly keyDetails: KeyDetails;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Body of a statement's log entry: `hashedrekord` 0.0.2 of Rekor v2 as canonical JSON (proofs 6.2). */
export const hashedRekordBody = ({ paeDigest, signature, spki, keyDetails }: HashedRekord): Buffer =>
  Buffer.from(
    canonicalJson({
      apiVersion: '0.0.2',
      kind: 'hashedrekord',
      spec: {
        hashedRekordV002: {
          data: { algorithm: 'SHA2_256', digest: base64(paeDigest) },
          signature: {
            content: base64(signature),
            verifier: { keyDetails, publicKey: { rawBytes: base64(spki) } },
          },
        },
      },
    }),
  );
