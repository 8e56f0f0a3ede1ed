import type { Database } from '@landfall/kernel/db/database';
import { formatCursor } from '@landfall/kernel/events/read';
import { until } from '@landfall/kernel/testing/until';
import { type ChunkChange, cursorTextOf, findNewest, listChanges } from '../corpus/chunk-changes.store.ts';

/** Reads the changes of all chunks after open transactions have ended. */
export const allChanges = (database: Database): Promise<ChunkChange[]> =>
  until(async () => {
    const [newest, changes] = await database.system.read(
      async (query) => [await findNewest(query), await listChanges(query, { xid: 0n, id: 0n }, 10_000)] as const,
    );
    const last = changes.at(-1);
    return (!newest || (last && cursorTextOf(last) === formatCursor(newest))) && changes;
  });
