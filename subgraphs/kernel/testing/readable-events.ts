import { boolean } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { belowHorizon } from '../events/horizon.ts';
import { until } from './until.ts';

const state = table('kernel.events readable', { areReadable: boolean });

/**
 * Waits until every event can be read. A transaction of another database that ends between a reader's snapshot and its
 * look at the locks cannot be told from one of this database, so that one read counts it as such; on a test server with
 * many databases that happens now and then.
 */
export const readableEvents = (database: Database) =>
  until(async () => {
    const { areReadable } = await database.system.read((query) =>
      query.get(
        state,
        sql`select not exists (select from kernel.events where not (${belowHorizon('xid')})) as are_readable`,
      ),
    );
    return areReadable;
  });
