import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault } from '../../core/fault.ts';
import type { Database } from '../../db/database.ts';
import type { Log } from '../../system/log.ts';
import type { Secrets } from '../secrets.ts';
import { type ConfiguredKey, type ConfiguredKeySettings, configuredKey } from './configured-key.ts';
import { localSigner } from './local-signer.ts';
import type { Signer, SigningKeys, SigningPurpose, VerificationKey } from './signer.ts';
import * as store from './signing-keys.store.ts';

interface SigningDeps {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly log: Log;
}

const generate = promisify(generateKeyPair);

const sealName = (keyId: string): string => `kernel/signing-key/${keyId}`;

/**
 * Upstream clients expect P-256 of an attestation and Ed25519 of a checkpoint (proofs 6.2, C2SP signed-note). A scan
 * manifest has Ed25519 (proofs 1).
 */
const ED25519_PURPOSES: readonly SigningPurpose[] = ['log', 'manifest'];

const newPrivateKey = async (purpose: SigningPurpose): Promise<KeyObject> =>
  (ED25519_PURPOSES.includes(purpose) ? await generate('ed25519') : await generate('ec', { namedCurve: 'P-256' }))
    .privateKey;

const publicPart = (row: store.SigningKeyRow): VerificationKey => {
  const { keyId, purpose, algorithm, spki, validFrom, validUntil } = row;
  return { keyId, purpose, algorithm, spki, validFrom, validUntil };
};

const newSealedKey = async (secrets: Secrets, purpose: SigningPurpose): Promise<store.NewSigningKey> => {
  const privateKey = await newPrivateKey(purpose);
  const { keyId, spki, algorithm } = localSigner(privateKey);
  const sealedPrivate = secrets.seal('', sealName(keyId), privateKey.export({ format: 'der', type: 'pkcs8' }));
  return { keyId, purpose, algorithm, spki, kept: 'sealed', sealedPrivate };
};

const conflict = (message: string): Fault => new Fault('RES_CONFLICT', message);

/** Opens sealed rows, each once in the life of the process. */
const openerOf = (secrets: Secrets) => {
  const opened = new Map<string, Signer>();
  return ({ keyId, kept, purpose, sealedPrivate }: store.SigningKeyRow): Signer => {
    const known = opened.get(keyId);
    if (known) return known;
    if (!sealedPrivate)
      throw conflict(
        `The ${purpose} key ${keyId} is kept in a ${kept}, and the settings of this process do not name it. Set it, or rotate the key.`,
      );
    const der = secrets.open('', sealName(keyId), sealedPrivate);
    const signer = localSigner(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    opened.set(keyId, signer);
    return signer;
  };
};

/** Replaces the current signing key by the configured one. Of several concurrent processes one does it. */
const adopt = ({ database, log }: SigningDeps, purpose: SigningPurpose, { signer, kept }: ConfiguredKey) =>
  database.system.write(async (tx) => {
    const { keyId, algorithm, spki } = signer;
    await store.lock(tx, purpose);
    const known = await store.find(tx, keyId);
    if (known?.purpose === purpose && known.validUntil === null) return;
    // An ended key may have been distrusted.
    if (known) throw conflict(`The key ${keyId} has been ended as a ${known.purpose} key. Configure another.`);
    await store.end(tx, purpose);
    await store.insert(tx, { keyId, purpose, algorithm, spki, kept, sealedPrivate: null });
    log.info({ purpose, keyId, kept }, 'a configured key signs from now on');
  });

/** Signing keys, read on each use because they rotate. Throws an Error if the settings name a file and a device. */
export const createSigningKeys = (deps: SigningDeps, settings: ConfiguredKeySettings = {}): SigningKeys => {
  const { database, secrets, log } = deps;
  const open = openerOf(secrets);
  const attestationKey = configuredKey(settings);

  /** Creates the first key; of several processes one does. */
  const first = async (purpose: SigningPurpose): Promise<store.SigningKeyRow> => {
    const key = await newSealedKey(secrets, purpose);
    return database.system.write(async (tx) => {
      await store.lock(tx, purpose);
      return (await store.findCurrent(tx, purpose)) ?? store.insert(tx, key);
    });
  };

  const current = (purpose: SigningPurpose) => database.system.read((query) => store.findCurrent(query, purpose));

  return {
    async signer(purpose) {
      const configured = purpose === 'attestation' ? await attestationKey?.() : undefined;
      const row = await current(purpose);
      if (!configured) return open(row ?? (await first(purpose)));
      if (row?.keyId !== configured.signer.keyId) await adopt(deps, purpose, configured);
      return configured.signer;
    },
    list: async (purpose) => (await database.system.read((query) => store.list(query, purpose))).map(publicPart),
    async rotate(purpose) {
      if (purpose === 'attestation' && attestationKey)
        throw conflict('The attestation key is configured: configure another file or object, and start again.');
      const currentKey = await current(purpose);
      const key = await newSealedKey(secrets, purpose);
      const row = await database.system.write(async (tx) => {
        await store.lock(tx, purpose);
        const now = await store.findCurrent(tx, purpose);
        // Another process rotated meanwhile: two requests at the same time cause one rotation.
        if (now && now.keyId !== currentKey?.keyId) return now;
        await store.end(tx, purpose);
        return store.insert(tx, key);
      });
      log.info({ purpose, keyId: row.keyId }, 'a new key signs from now on');
      return publicPart(row);
    },
  };
};
