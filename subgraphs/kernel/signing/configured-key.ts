import { signerOfFile } from './key-file.ts';
import type { Signer } from './signer.ts';

/** Where an installation keeps its attestation key, when not in the database. */
export interface ConfiguredKeySettings {
  /** A PKCS #8 PEM file of mode 0600. */
  readonly attestationKeyFile?: string | undefined;
}

/** A key that the settings name, and where it is kept. */
export interface ConfiguredKey {
  readonly signer: Signer;
  readonly kept: 'file' | 'device';
}

/** The same promise for every caller, and a new attempt after a failure: a device may have been away. */
const onceMade = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
};

/** What reads the configured attestation key, if one is configured. */
export const configuredKey = ({
  attestationKeyFile,
}: ConfiguredKeySettings): (() => Promise<ConfiguredKey>) | undefined =>
  attestationKeyFile === undefined
    ? undefined
    : onceMade(async () => ({ signer: await signerOfFile(attestationKeyFile), kept: 'file' }));
