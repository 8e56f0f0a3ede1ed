import { type AuthorityCertificates, checkTimestamp, type Timestamp, type TimestampClient } from './timestamp.ts';

/** Timestamps of signatures, each checked before it is kept. */
export interface CheckedTimestamps {
  /** @throws Error when the authority gives none that counts */
  stamp(signature: Uint8Array): Promise<Timestamp>;
}

interface StampingParts {
  readonly client: TimestampClient;
  readonly authorities: () => Promise<readonly AuthorityCertificates[]>;
}

/** Asks the authority that is configured, or the built-in one. */
export const createCheckedTimestamps = ({ client, authorities }: StampingParts): CheckedTimestamps => ({
  async stamp(signature) {
    const token = await client.timestamp(signature);
    const trusted = (await authorities()).map(({ certificates }) => ({ certificates }));
    const found = checkTimestamp(token, Buffer.from(signature), trusted);
    if ('reason' in found) throw new Error(`The timestamp does not count: ${found.reason}.`);
    return { token, at: found.at };
  },
});
