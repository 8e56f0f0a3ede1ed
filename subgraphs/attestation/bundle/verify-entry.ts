import { sha256, sha256Bytes, sha256Hex } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { leafHash, verifyInclusion } from '@landfall/kernel/crypto/merkle';
import { verifySignature } from '@landfall/kernel/crypto/signing/signature';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { LoggedEntry } from '../log/transparency-log.ts';
import { hashedRekordBody, MAX_BODY_BYTES } from '../signature/hashed-rekord.ts';
import { exactBase64 } from '../signature/signed-note.ts';
import { IN_TOTO_PAYLOAD_TYPE, parseStatement } from '../signature/statement.ts';
import { MalformedJson, parseStrictJson } from '../signature/strict-json.ts';
import { verifyDigest } from '../signature/verify-digest.ts';
import { checkPredicate, checkSubject, type Expected } from './expected-statement.ts';
import { conclude, type Finding, failed, passed, skipped } from './finding.ts';
import { signedBy } from './log-consistency.ts';
import { isLoggedInTime, type Trust } from './trust.ts';
import type { Verification } from './verification.ts';

const shape = Type.Object({
  apiVersion: Type.Literal('0.0.2'),
  kind: Type.Literal('hashedrekord'),
  spec: Type.Object({
    hashedRekordV002: Type.Object({
      data: Type.Object({ algorithm: Type.Literal('SHA2_256'), digest: Type.String() }),
      signature: Type.Object({
        content: Type.String(),
        verifier: Type.Object({
          keyDetails: Type.Enum(['PKIX_ECDSA_P256_SHA_256', 'PKIX_ED25519']),
          publicKey: Type.Object({ rawBytes: Type.String() }),
        }),
      }),
    }),
  }),
});

const validator = Compile(shape);
const fits = (value: unknown): value is Static<typeof shape> => validator.Check(value);

interface Rekord {
  readonly digest: Buffer;
  readonly signature: Buffer;
  readonly spki: Buffer;
}

/** Parses the log entry of a signature; undefined for another kind of entry. */
const parseRekord = (body: Buffer): Rekord | undefined => {
  try {
    const json = parseStrictJson(body.toString(), MAX_BODY_BYTES);
    if (!fits(json)) return undefined;
    const { data, signature } = json.spec.hashedRekordV002;
    const { keyDetails, publicKey } = signature.verifier;
    const [digest, content, spki] = [data.digest, signature.content, publicKey.rawBytes].map(exactBase64);
    if (!digest || !content || !spki) return undefined;
    const canonical = hashedRekordBody({ paeDigest: digest, signature: content, spki, keyDetails });
    return canonical.equals(body) ? { digest, signature: content, spki } : undefined;
  } catch (error) {
    if (error instanceof MalformedJson) return undefined;
    throw error;
  }
};

/** Log entry to verify. */
interface RequestedEntry {
  readonly entry: LoggedEntry;
  readonly bodyHash: string;
  /** Payload of the tenant's statement with this entry; undefined if it has none. */
  readonly payload: Uint8Array | undefined;
}

const checkSignature = (
  { entry: { body, index }, payload }: RequestedEntry,
  origin: string | undefined,
  trust: Trust,
): Finding => {
  const rekord = parseRekord(body);
  if (!rekord) return failed('body-kind', 'the entry is not of a signature');
  const key = trust.keys.get(sha256Hex(rekord.spki));
  if (!key) return failed('signer-unknown', 'the key in the entry is not trusted');
  const signed = payload && pae(IN_TOTO_PAYLOAD_TYPE, payload);
  if (signed && !sha256Bytes(signed).equals(rekord.digest))
    return failed('body-differs', 'the entry is of another statement');
  if (!signed && key.details === 'PKIX_ED25519')
    return skipped('statement-unknown', 'Ed25519 signs the statement itself, and the log has only its hash');
  const isSigned = signed
    ? verifySignature(key.publicKey, signed, rekord.signature)
    : verifyDigest(rekord.digest, key.publicKey, rekord.signature);
  if (!isSigned) return failed('signature-invalid', 'the signature in the entry is not of that key');
  return origin === undefined || isLoggedInTime(key, origin, index)
    ? passed
    : failed('signer-expired', `the key had ended before the log had the entry ${index}`);
};

/** Verifies an entry by its index in the log and the hash of its body. */
export const verifyEntry = (requestedEntry: RequestedEntry, trust: Trust, expected: Expected): Verification => {
  const { entry, bodyHash, payload } = requestedEntry;
  const { index, body, rootHash, treeSize: size, hashes } = entry;
  const checkpoint = signedBy(entry.checkpoint, trust);
  const isThere =
    checkpoint?.size === size &&
    checkpoint.rootHash.equals(rootHash) &&
    verifyInclusion({ index, size, leafHash: leafHash(body), path: hashes, root: rootHash });
  const statement = payload && parseStatement(payload);
  const unknown = skipped('statement-unknown', 'no statement of yours has this entry');
  return conclude(
    {
      signature: checkSignature(requestedEntry, checkpoint?.origin, trust),
      body:
        sha256(body) === bodyHash ? passed : failed('body-differs', `the entry's body has the hash ${sha256(body)}`),
      inclusion: isThere ? passed : failed('not-included', 'the path does not lead from the entry to the root'),
      checkpoint: checkpoint ? passed : failed('checkpoint-unsigned', 'the checkpoint is not signed by a trusted log'),
      consistency: skipped('newest-tree', 'it was proved in the newest tree'),
      timestamp: skipped('no-timestamp', 'the log has no timestamps'),
      subject: payload ? checkSubject(statement, expected) : unknown,
      predicate: payload ? checkPredicate(statement, expected) : unknown,
    },
    {
      log: checkpoint && {
        origin: checkpoint.origin,
        index,
        treeSize: size,
        rootHash: `sha256:${rootHash.toString('hex')}`,
      },
      signedAt: undefined,
    },
  );
};
