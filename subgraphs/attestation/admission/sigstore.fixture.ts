// Logs of both generations of Rekor, and the trusted root that names them and their certificate authority.
import { sign } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { inclusionPath, leafHash, rootOf } from '@landfall/kernel/crypto/merkle';
import { createKey } from '../bundle/bundle.fixture.ts';
import { signCheckpoint } from '../signature/checkpoint.ts';
import { ed25519KeyId } from '../signature/signed-note.ts';
import { createFulcio } from './fulcio.fixture.ts';
import { base64, createKeys, SIGNED_AT, spkiOf } from './signers.fixture.ts';

const ORIGIN = 'log.sigstore.example';

const OLD_ORIGIN = 'rekor.sigstore.example';

export const createSigstore = async () => {
  const fulcio = await createFulcio();
  const oldLog = createKeys();
  const oldId = sha256Bytes(spkiOf(oldLog.publicKey));
  const logKey = createKey('ed25519');
  const logId = ed25519KeyId(ORIGIN, logKey.spki);
  const earlier = Array.from({ length: 5 }, (_, index) => leafHash(Buffer.from(`earlier ${index}`)));

  const logs = (...ids: readonly ('old' | 'new')[]) =>
    ids.map((id) => ({
      baseUrl: `https://${id === 'old' ? OLD_ORIGIN : ORIGIN}`,
      hashAlgorithm: 'SHA2_256',
      publicKey: {
        rawBytes: base64(id === 'old' ? spkiOf(oldLog.publicKey) : logKey.spki),
        keyDetails: id === 'old' ? 'PKIX_ECDSA_P256_SHA_256' : 'PKIX_ED25519',
        validFor: { start: '2025-01-01T00:00:00Z' },
      },
      logId: { keyId: base64(id === 'old' ? oldId : logId) },
    }));

  return {
    fulcio,
    /** Builds a Sigstore trusted root as JSON text. */
    root: (change: object = {}): string =>
      JSON.stringify({
        mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
        tlogs: logs('old', 'new'),
        certificateAuthorities: [
          {
            subject: { organization: 'Test', commonName: 'Test certificate authority' },
            uri: 'https://fulcio.example',
            certChain: { certificates: [{ rawBytes: base64(fulcio.certificate) }] },
            validFor: { start: '2025-01-01T00:00:00Z' },
          },
        ],
        ctlogs: [],
        timestampAuthorities: [],
        ...change,
      }),
    logs,

    /** Builds Rekor v1's signed entry timestamp, over what cosign stores beside a signature. */
    promise(body: object) {
      const payload = {
        body: base64(Buffer.from(canonicalJson(body))),
        integratedTime: SIGNED_AT,
        logIndex: 4711,
        logID: oldId.toString('hex'),
      };
      const signature = sign('sha256', Buffer.from(canonicalJson(payload)), oldLog.privateKey);
      return JSON.stringify({ SignedEntryTimestamp: base64(signature), Payload: payload });
    },

    /** Builds a Rekor v1 entry as in bundles: with timestamp and proof, its index counted over all trees. */
    async oldEntry(body: object) {
      const { SignedEntryTimestamp, Payload } = JSON.parse(this.promise(body));
      const canonical = Buffer.from(Payload.body, 'base64');
      const leaves = [...earlier, leafHash(canonical)];
      const rootHash = rootOf(leaves);
      const note = `${OLD_ORIGIN} - 2605736670972794746\n${leaves.length}\n${base64(rootHash)}\n`;
      const signature = sign('sha256', Buffer.from(note), oldLog.privateKey);
      const envelope = `${note}\n\u2014 ${OLD_ORIGIN} ${base64(Buffer.concat([oldId.subarray(0, 4), signature]))}\n`;
      const { kind, apiVersion } = JSON.parse(canonical.toString());
      return {
        logIndex: String(Payload.logIndex),
        logId: { keyId: base64(oldId) },
        kindVersion: { kind, version: apiVersion },
        integratedTime: String(Payload.integratedTime),
        inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
        inclusionProof: {
          logIndex: String(earlier.length),
          rootHash: base64(rootHash),
          treeSize: String(leaves.length),
          hashes: inclusionPath(earlier.length, leaves).map(base64),
          checkpoint: { envelope },
        },
        canonicalizedBody: Payload.body,
      };
    },

    /** Builds Rekor v2's answer: the entry with its proof under a checkpoint. */
    async entry(body: Buffer) {
      const leaves = [...earlier, leafHash(body)];
      const rootHash = rootOf(leaves);
      const tree = { size: leaves.length, rootHash };
      return {
        logIndex: String(earlier.length),
        logId: { keyId: base64(logId) },
        kindVersion: { kind: 'hashedrekord', version: '0.0.2' },
        inclusionProof: {
          logIndex: String(earlier.length),
          rootHash: base64(rootHash),
          treeSize: String(leaves.length),
          hashes: inclusionPath(earlier.length, leaves).map(base64),
          checkpoint: { envelope: await signCheckpoint(ORIGIN, tree, logKey) },
        },
        canonicalizedBody: base64(body),
      };
    },
  };
};

export type Sigstore = Awaited<ReturnType<typeof createSigstore>>;
