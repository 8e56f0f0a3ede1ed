// Program for feed-crash.test.ts: feeds the corpus to an index, and is killed before the index is on disk.
import { createDatabase } from '@landfall/kernel/db/database';
import { createHints } from '@landfall/kernel/events/hint';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { createLane } from '../fts/threaded-lane.ts';
import { createFeed } from './feed.ts';

armFromEnvironment(process.env);
const [connection = '{}', directory] = process.argv.slice(2);
const parameters: { readonly host: string; readonly port: number; readonly user: string; readonly database: string } =
  JSON.parse(connection);
const lane = await createLane({ directory, log: silentLog });
const database = createDatabase({ connection: parameters, max: 2 });
const feed = createFeed({ database, lane, log: silentLog, hints: createHints(parameters), pollMs: 20 });
feed.start();
await feed.settled();
