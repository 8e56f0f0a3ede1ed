import { checkTimestamp } from '../verification/timestamp.ts';
import type { Timestamps } from '../verification/timestamp-settings.ts';
import type { Timestamp } from './attestor.store.ts';

/** Timestamps of signatures, each checked before it is kept. */
export interface Stamping {
  /** @throws Error when the authority gives none that counts */
  stamp(signature: Uint8Array): Promise<Timestamp>;
}

/** Asks the configured authority; undefined where none is. */
export const createStamping = ({ client, authorities }: Timestamps): Stamping | undefined =>
  client && {
    async stamp(signature) {
      const token = await client.timestamp(signature);
      const found = checkTimestamp(
        token,
        Buffer.from(signature),
        authorities.map(({ certificates }) => ({ certificates })),
      );
      if ('reason' in found) throw new Error(`The timestamp does not count: ${found.reason}.`);
      return { token, at: found.at };
    },
  };
