import { type AuthorityCertificates, checkTimestamp, type Timestamp, type TimestampClient } from './timestamp.ts';

interface StampingParts {
  readonly client: TimestampClient;
  readonly authorities: () => Promise<readonly AuthorityCertificates[]>;
}

/** Timestamps of signatures, each checked before it is kept; by the authority that is configured, or the built-in one. */
export const createCheckedTimestamps = ({ client, authorities }: StampingParts) => ({
  /** @throws Error when the authority gives none that counts */
  async stamp(signature: Uint8Array): Promise<Timestamp> {
    const token = await client.timestamp(signature);
    const trusted = (await authorities()).map(({ certificates }) => ({ certificates }));
    const found = checkTimestamp(token, Buffer.from(signature), trusted);
    if ('reason' in found) throw new Error(`The timestamp does not count: ${found.reason}.`);
    return { token, at: found.at };
  },
});

export type CheckedTimestamps = ReturnType<typeof createCheckedTimestamps>;
