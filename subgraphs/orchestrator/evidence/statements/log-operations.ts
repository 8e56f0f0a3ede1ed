import type { LoggedEntry, TransparencyLog } from '@landfall/attestation/log/transparency-log';
import { openCheckpoint } from '@landfall/attestation/signature/checkpoint';
import { hashedRekordBody } from '@landfall/attestation/signature/hashed-rekord';
import { ed25519KeyId, exactBase64, parseCheckpoint } from '@landfall/attestation/signature/signed-note';
import { p256Key, verifyDigest } from '@landfall/attestation/signature/verify-digest';
import type { Caller } from '@landfall/kernel/core/caller';
import { invalid } from '@landfall/kernel/core/fault';
import { newestSeal } from '@landfall/kernel/events/seal.store';
import type { Deps } from '@landfall/kernel/module';
import type { Operation } from '@landfall/kernel/operation/operation';
import Type from 'typebox';
import { publishEvent } from '../../shared/publish-event.ts';
import { operates, readsReleases } from '../../shared/scopes.ts';
import { createQuota } from './log-quota.ts';

interface LogOperationsDeps extends Pick<Deps, 'database' | 'operation' | 'clock'> {
  readonly transparencyLog: TransparencyLog;
  readonly origin: string;
  /** Witnesses that cosign checkpoints. */
  readonly witnesses: readonly { readonly name: string }[];
}

const base64 = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** `hashedRekordRequestV002` of Rekor v2's API. */
const submission = Type.Object({
  hashedRekordRequestV002: Type.Object({
    digest: base64(44),
    signature: Type.Object({
      content: base64(128),
      verifier: Type.Object({
        publicKey: Type.Object({ rawBytes: base64(256) }),
        keyDetails: Type.Literal('PKIX_ECDSA_P256_SHA_256'),
      }),
    }),
  }),
});

/** Valid signature of a throwaway key, for the operation's example. */
const anySubmission = {
  hashedRekordRequestV002: {
    digest: 'UNhY4JhezH9gQYqvDMWrWH9CwlcKiECVqejMrND2VFw=',
    signature: {
      content: 'MEQCIC8Eu++wtGIRQQObJc1D/zIXFoWCPE7DFLXK18EWPJu5AiBpCfkYL72OuZoE6GdpFPAnTZ93aMq5mT87O+TX0oAHCQ==',
      verifier: {
        publicKey: {
          rawBytes:
            'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWp3sZO2kzS0Nv3LVfyABU1F7YOAMluVchHLe0tducVMGyeMiwHGGNXWHhFlz/SvY4BmZ8FJCs4p8Sca2eTdsaQ==',
        },
        keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      },
    },
  },
};

type Submission = Type.Static<typeof submission>['hashedRekordRequestV002'];

/** Builds the log entry of an external tool's signature. Refuses a signature that the given key did not make. */
const bodyOf = ({ digest, signature: { content, verifier } }: Submission): Buffer => {
  const refuse = (field: string, message: string): never => {
    throw invalid([{ field: `hashedRekordRequestV002.${field}`, message, code: 'VAL_INVALID_VALUE' }]);
  };
  const paeDigest = exactBase64(digest);
  if (paeDigest?.length !== 32) return refuse('digest', 'The digest is the base64 of 32 bytes.');
  const signature = exactBase64(content);
  if (!signature) return refuse('signature.content', 'The signature is base64.');
  const spki = exactBase64(verifier.publicKey.rawBytes);
  const key = spki && p256Key(spki);
  if (!spki || !key) return refuse('signature.verifier.publicKey.rawBytes', 'The key is the SPKI of a P-256 key, DER.');
  if (!verifyDigest(paeDigest, key, signature))
    return refuse('signature.content', 'The key did not make this signature over this digest.');
  return hashedRekordBody({ paeDigest, signature, spki, keyDetails: verifier.keyDetails });
};

/** Id of the key that signed an entry's checkpoint; after a rotation it differs from the current key. */
const logIdOf = async (log: TransparencyLog, { checkpoint }: LoggedEntry): Promise<Buffer> => {
  const { origin, keys } = await log.identity();
  const opened = openCheckpoint(checkpoint, { origin, keys });
  if (!opened) throw new TypeError('the log signed a checkpoint with a key that is not its own');
  return ed25519KeyId(origin, opened.key.spki);
};

/** Creates the log operations for callers of a tenant; public reads need no tenant. */
export const createLogOperations = ({
  database,
  operation,
  clock,
  transparencyLog: log,
  origin,
  witnesses,
}: LogOperationsDeps) => {
  const quota = createQuota(clock);

  /** Reads the log on connections of the system role, so the caller must hold none. */
  const look = async () => {
    const [newest, seal] = await Promise.all([log.newest(), database.system.read(newestSeal)]);
    const signatures = (newest && parseCheckpoint(newest.note)?.signatures) ?? [];
    const cosigned = new Set(signatures.map(({ name }) => name));
    return {
      origin,
      treeSize: String(newest?.size ?? 0),
      rootHash: newest ? `sha256:${newest.rootHash.toString('hex')}` : null,
      signedAt: newest?.signedAt ?? null,
      checkpoint: newest?.note ?? null,
      witnesses: witnesses.map(({ name }) => name).filter((name) => cosigned.has(name)),
      trustPath: '/tlog/trust.json',
      seal: seal
        ? {
            sequence: String(seal.sequence),
            hash: seal.hash,
            eventCount: seal.count,
            sealedAt: seal.sealedAt,
            logIndex: seal.logIndex === null || seal.logOrigin !== origin ? null : String(seal.logIndex),
          }
        : null,
    };
  };

  const admitted = operation({
    name: 'transparencyLog.get',
    kind: 'read',
    scope: readsReleases,
    input: Type.Object({}),
    run: async () => undefined,
  });

  const submit = operation({
    name: 'transparencyLog.submit',
    cost: 0,
    kind: 'write',
    scope: operates,
    input: submission,
    example: anySubmission,
    async prepare(caller, { hashedRekordRequestV002 }) {
      const body = bodyOf(hashedRekordRequestV002);
      quota.spend(caller.tenant);
      const entry = await log.append(body);
      return { entry, logId: await logIdOf(log, entry) };
    },
    async run(caller, _input, tx, prepared) {
      const { index } = prepared.entry;
      const tree = { id: origin, version: index + 1 };
      await publishEvent(tx, caller, 'transparencyLog.submit', 'TransparencyLog', tree, { index });
      return prepared;
    },
  });

  const get: Operation<Awaited<ReturnType<typeof look>>> = Object.assign(
    async (caller: Caller, input: unknown) => {
      await admitted(caller, input);
      return look();
    },
    { spec: admitted.spec },
  );

  return { get, submit };
};
