import { X509Certificate } from 'node:crypto';
import type { HttpClient } from '@landfall/kernel/http/client';
import {
  type AuthorityCertificates,
  createTimestampClient,
  readTimestampChains,
  type TimestampClient,
} from './timestamp.ts';

/** The timestamp authority of an installation; without one, statements carry no time but their own. */
export interface TimestampSettings {
  readonly timestampUrl?: string | undefined;
  /** PEM: one chain or several, each the certificate that signs first, its root last. */
  readonly timestampChainFile?: string | undefined;
}

interface Timestamps {
  readonly client: TimestampClient | undefined;
  readonly authorities: readonly AuthorityCertificates[];
}

/**
 * Reads the chains at once, so that a wrong one stops the start. Each is trusted, whichever signs now: so statements that
 * were stamped before still verify after the authority renewed its certificate, or was given up.
 * @throws Error when there is an address without a chain, or a chain that cannot be read
 */
export const configuredTimestamps = (http: HttpClient, settings: TimestampSettings): Timestamps => {
  const { timestampUrl: url, timestampChainFile: path } = settings;
  if (path === undefined) {
    if (url === undefined) return { client: undefined, authorities: [] };
    throw new Error(
      'Attestation:TimestampUrl needs Attestation:TimestampChainFile: an answer nobody can check proves nothing.',
    );
  }
  const chains = readTimestampChains(path);
  return {
    client: url === undefined ? undefined : createTimestampClient(http, { url, chains }),
    authorities: chains.map((certificates) => ({
      uri: url ?? 'https://timestamp.invalid',
      certificates,
      validFrom: new X509Certificate(certificates[0] ?? Buffer.of()).validFromDate,
      validUntil: null,
    })),
  };
};
