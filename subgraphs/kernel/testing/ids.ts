import { type Ids, uuidv7 } from '../core/ids.ts';
import { sha256Bytes } from '../crypto/digest.ts';

const epoch = Date.parse('2026-01-15T09:00:00.000Z');

/** Creates ids for tests: the same seed gives the same UUIDv7s, each greater than the one before, as real ones are. */
export const seededIds = (seed = 'landfall'): Ids => {
  let count = 0;
  return {
    uuid() {
      count += 1;
      return uuidv7(epoch + count, sha256Bytes(seed, String(count)));
    },
  };
};
