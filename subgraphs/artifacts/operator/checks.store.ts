import { count } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const waiting = table('evidence.arrival_failures waiting', { documents: count });

/** Counts the documents of the platform that could not be put in the store yet. */
export const countFailures = (query: Query) =>
  query.get(waiting, sql`/* doctor.evidenceArrivals */ select count(*) as documents from evidence.arrival_failures`);
