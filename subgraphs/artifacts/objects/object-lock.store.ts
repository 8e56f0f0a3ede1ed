import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';

/** Keeps an object from being moved away by another transaction, or from entering the index, until this one ends. */
export const lock = (tx: Tx, storageKey: string): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.lockObject */
    select pg_advisory_xact_lock(hashtextextended('evidence/' || ${storageKey}::text, 0))`);
