import { X509Certificate } from 'node:crypto';
import type { HttpClient } from '@landfall/kernel/http/client';
import {
  type AuthorityCertificates,
  createTimestampClient,
  readTimestampChains,
  type TimestampClient,
} from './timestamp.ts';

/** Settings of the external timestamp authority. */
export interface TimestampSettings {
  readonly timestampUrl?: string | undefined;
  /** PEM file with one or several chains, each with the signing certificate first and its root last. */
  readonly timestampChainFile?: string | undefined;
}

interface Timestamps {
  readonly client: TimestampClient | undefined;
  readonly authorities: readonly AuthorityCertificates[];
}

/** Reads the trusted chains at start. Throws an Error for an unreadable chain, or for an address without a chain. */
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
