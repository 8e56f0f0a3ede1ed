import Type from 'typebox';

const base64 = Type.String();
/** A number of 64 bits, as protobuf's JSON has it: decimal text. */
const int64 = Type.String({ pattern: '^\\d+$' });

/** `CreateEntryRequest` of Rekor v2. */
export const rekorSubmission = Type.Object({
  hashedRekordRequestV002: Type.Object({
    /** SHA-256 of the signed bytes. */
    digest: base64,
    signature: Type.Object({
      content: base64,
      verifier: Type.Object({
        publicKey: Type.Object({ rawBytes: base64 }),
        keyDetails: Type.Literal('PKIX_ECDSA_P256_SHA_256'),
      }),
    }),
  }),
});

/** `TransparencyLogEntry` of Sigstore's protobuf-specs. */
export const logEntry = Type.Object({
  logIndex: int64,
  logId: Type.Object({ keyId: base64 }),
  kindVersion: Type.Object({ kind: Type.String(), version: Type.String() }),
  inclusionProof: Type.Object({
    logIndex: int64,
    rootHash: base64,
    treeSize: int64,
    hashes: Type.Array(base64),
    checkpoint: Type.Object({ envelope: Type.String() }),
  }),
  canonicalizedBody: base64,
});
