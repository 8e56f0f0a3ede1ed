import { leafHash, verifyInclusion } from '@landfall/kernel/crypto/merkle';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { ed25519Key, openCheckpoint } from '../signature/checkpoint.ts';
import { ed25519KeyId, exactBase64, exactDecimal } from '../signature/signed-note.ts';

const MAX_HASHES = 64;
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u;
const ED25519 = 0x01;

/**
 * Answer of the log. Protobuf's JSON omits zero and empty values: the first entry of a log has neither index nor path.
 */
const shape = Type.Object({
  logIndex: Type.Optional(Type.String({ maxLength: 20 })),
  inclusionProof: Type.Object({
    logIndex: Type.Optional(Type.String({ maxLength: 20 })),
    rootHash: Type.String({ maxLength: 64 }),
    treeSize: Type.String({ maxLength: 20 }),
    hashes: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: MAX_HASHES })),
    checkpoint: Type.Object({ envelope: Type.String({ maxLength: 16_384 }) }),
  }),
  canonicalizedBody: Type.String({ maxLength: 131_072 }),
});

type Answer = Static<typeof shape>;

const validator = Compile(shape);
const fits = (value: unknown): value is Answer => validator.Check(value);

/** Key of an external log's checkpoints. */
export interface ExternalKey {
  readonly origin: string;
  /** Ed25519 public key, DER. */
  readonly spki: Buffer;
}

/** Parses a note verifier key, `name+hash+base64`, of an Ed25519 key (C2SP signed-note); undefined for any other. */
export const parseExternalKey = (text: string): ExternalKey | undefined => {
  const [, origin, hash, encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = exactBase64(encoded);
  if (origin === undefined || bytes?.length !== 33 || bytes[0] !== ED25519) return undefined;
  const spki = ed25519Key(bytes.subarray(1)).key;
  return ed25519KeyId(origin, spki).subarray(0, 4).toString('hex') === hash ? { origin, spki } : undefined;
};

/** Index of the proven entry, or the reason why an answer proves nothing. */
type Checked = { readonly index: number } | { readonly refusal: string };

const refused = (refusal: string): Checked => ({ refusal });

const proofOf = ({ logIndex = '0', inclusionProof: proof }: Answer) => {
  const index = exactDecimal(proof.logIndex ?? '0');
  const size = exactDecimal(proof.treeSize);
  const root = exactBase64(proof.rootHash);
  const path = (proof.hashes ?? []).map(exactBase64).filter((hash) => hash !== undefined);
  const isComplete = path.length === (proof.hashes ?? []).length;
  return index === undefined || size === undefined || !root || !isComplete || logIndex !== String(index)
    ? undefined
    : { index, size, root, path };
};

/** Verifies a Rekor v2 `TransparencyLogEntry` against the submitted body and the log's checkpoint key. */
export const checkAnswer = (text: string, body: Buffer, key: ExternalKey): Checked => {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return refused('the answer is not JSON');
  }
  if (!fits(answer)) return refused('the answer is not a log entry with its proof');
  if (exactBase64(answer.canonicalizedBody)?.equals(body) !== true) return refused('the entry is not what was sent');
  const proof = proofOf(answer);
  if (!proof) return refused('the proof cannot be read');
  const checkpoint = openCheckpoint(answer.inclusionProof.checkpoint.envelope, { origin: key.origin, keys: [key] });
  if (!checkpoint) return refused('the checkpoint is not signed by the configured key');
  if (checkpoint.size !== proof.size || !checkpoint.rootHash.equals(proof.root))
    return refused('the checkpoint is of another tree');
  return verifyInclusion({ ...proof, leafHash: leafHash(body) })
    ? { index: proof.index }
    : refused('the proof does not lead from the entry to the root');
};
