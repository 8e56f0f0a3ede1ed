import { signerOfFile } from './key-file.ts';
import { deviceSigner } from './pkcs11.ts';
import { parsePkcs11Uri } from './pkcs11-uri.ts';
import type { Signer } from './signer.ts';

/** Location of the attestation key, when it is not in the database. */
export interface ConfiguredKeySettings {
  /** A PKCS #8 PEM file of mode 0600. */
  readonly attestationKeyFile?: string | undefined;
  /** A key behind PKCS #11, by its RFC 7512 URI with `module-path`. */
  readonly attestationPkcs11?: string | undefined;
  /** The token's PIN, unless the URI has a `pin-source`. */
  readonly attestationPin?: string | undefined;
}

/** Key that the settings name, and its storage. */
export interface ConfiguredKey {
  readonly signer: Signer;
  readonly kept: 'file' | 'device';
}

/** Memoizes a promise for all callers, except a failed one, which the next call repeats. */
const memoizePromise = <T>(create: () => Promise<T>): (() => Promise<T>) => {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create().catch((error: unknown) => {
      created = undefined;
      throw error;
    });
    return created;
  };
};

/** Reads the configured attestation key, if any. Throws an Error if two are configured, or the URI cannot be used. */
export const configuredKey = (settings: ConfiguredKeySettings): (() => Promise<ConfiguredKey>) | undefined => {
  const { attestationKeyFile: file, attestationPkcs11, attestationPin } = settings;
  if (file !== undefined && attestationPkcs11 !== undefined)
    throw new Error('Attestation:KeyFile and Attestation:Pkcs11 are both set: one key signs.');
  if (file !== undefined) return memoizePromise(async () => ({ signer: await signerOfFile(file), kept: 'file' }));
  if (attestationPkcs11 === undefined) return undefined;
  const connect = deviceSigner(parsePkcs11Uri(attestationPkcs11), attestationPin);
  return memoizePromise(async () => ({ signer: await connect(), kept: 'device' }));
};
