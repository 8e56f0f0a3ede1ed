import { X509Certificate } from 'node:crypto';
import type { HttpClient } from '@landfall/kernel/http/client';
import type { AuthorityCertificates } from '../attestation/trusted-root.ts';
import { createTimestampClient, readTimestampChain, type TimestampClient } from './timestamp.ts';

/** The timestamp authority of an installation; without one, statements carry no time but their own. */
export interface TimestampSettings {
  readonly timestampUrl?: string | undefined;
  /** PEM, the certificate that signs first, the root last. */
  readonly timestampChainFile?: string | undefined;
}

/** Whom the platform asks for timestamps, and whom its trust document names for them. */
export interface Timestamps {
  readonly client: TimestampClient | undefined;
  readonly authorities: readonly AuthorityCertificates[];
}

/**
 * Reads the chain at once, so that a wrong one stops the start. A chain without an address is trusted and not asked: so
 * statements that were stamped before still verify after the authority is given up.
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
  const certificates = readTimestampChain(path);
  const [leaf = Buffer.of()] = certificates;
  const authority = {
    uri: url ?? 'https://timestamp.invalid',
    certificates,
    validFrom: new X509Certificate(leaf).validFromDate,
    validUntil: null,
  };
  return {
    client: url === undefined ? undefined : createTimestampClient(http, { url, chain: certificates }),
    authorities: [authority],
  };
};
