import type { Database } from '@landfall/kernel/db/database';
import type { Tx } from '@landfall/kernel/db/query';

/** Access of an importer to the feeds, which the system alone writes. */
export type FeedDatabase = Pick<Database, 'system'>;

/**
 * Access on one open transaction of the role `landfall_system`, so that a whole import commits or rolls back with it.
 */
export const onTransaction = (tx: Tx): FeedDatabase => ({
  system: { read: (use) => use(tx), write: (use) => use(tx) },
});
