import { type AuthorityCertificates, checkTimestamp, type Timestamp, type TimestampClient } from './timestamp.ts';

interface StampingParts {
  readonly client: TimestampClient;
  readonly authorities: () => Promise<readonly AuthorityCertificates[]>;
}

/** Creates timestamps of signatures by the configured or built-in authority; each is checked before it is stored. */
export const createCheckedTimestamps = ({ client, authorities }: StampingParts) => ({
  /** Creates a timestamp. Throws an Error if the authority returns no valid one. */
  async stamp(signature: Uint8Array): Promise<Timestamp> {
    const token = await client.timestamp(signature);
    const trusted = (await authorities()).map(({ certificates }) => ({ certificates }));
    const found = checkTimestamp(token, Buffer.from(signature), trusted);
    if ('reason' in found) throw new Error(`The timestamp does not count: ${found.reason}.`);
    return { token, at: found.at };
  },
});

export type CheckedTimestamps = ReturnType<typeof createCheckedTimestamps>;
