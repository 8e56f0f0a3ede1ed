import type { AuthorityCertificates } from '../bundle/trust-documents.ts';
import type { Timestamp } from '../statements/attestor.store.ts';
import { checkTimestamp, type TimestampClient } from './timestamp.ts';

/** Timestamps of signatures, each checked before it is kept. */
export interface Stamping {
  /** @throws Error when the authority gives none that counts */
  stamp(signature: Uint8Array): Promise<Timestamp>;
}

interface StampingParts {
  readonly client: TimestampClient;
  readonly authorities: () => Promise<readonly AuthorityCertificates[]>;
}

/** Asks the authority that is configured, or the built-in one. */
export const createStamping = ({ client, authorities }: StampingParts): Stamping => ({
  async stamp(signature) {
    const token = await client.timestamp(signature);
    const trusted = (await authorities()).map(({ certificates }) => ({ certificates }));
    const found = checkTimestamp(token, Buffer.from(signature), trusted);
    if ('reason' in found) throw new Error(`The timestamp does not count: ${found.reason}.`);
    return { token, at: found.at };
  },
});
