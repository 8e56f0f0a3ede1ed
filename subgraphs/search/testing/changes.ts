import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@landfall/kernel/db/database';
import { formatCursor } from '@landfall/kernel/events/read';
import { type ChunkChange, findNewest, listChanges, placeOf } from '../corpus/changes.store.ts';

/** All that is to be followed, once nobody's open transaction keeps the newest of it back. */
export const allChanges = async (database: Database): Promise<ChunkChange[]> => {
  for (;;) {
    const [newest, changes] = await database.system.read(
      async (query) => [await findNewest(query), await listChanges(query, { xid: 0n, id: 0n }, 10_000)] as const,
    );
    const last = changes.at(-1);
    if (!newest || (last && placeOf(last) === formatCursor(newest))) return changes;
    await sleep(20);
  }
};
