import type { GraphQLSchema } from 'graphql';
import type { Caller } from './core/caller.ts';
import type { Clock } from './core/clock.ts';
import type { Ids } from './core/ids.ts';
import type { Worker } from './core/worker.ts';
import type { Secrets } from './crypto/secrets.ts';
import type { Database } from './db/database.ts';
import type { Hints } from './events/hint.ts';
import type { HttpClient } from './http/client.ts';
import type { Operation, OperationMaker } from './operation/operation.ts';
import type { Log } from './system/log.ts';

/** What every module's factory receives. A module's own settings and ports come beside it. */
export interface Deps {
  readonly database: Database;
  readonly operation: OperationMaker;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly http: HttpClient;
  readonly hints: Hints;
  readonly log: Log;
}

/** One module as its host sees it: both doors' way in, and its background work. */
export interface Module {
  /** As in schema/subgraphs.json. */
  readonly name: string;
  /** Every operation there is, for the tenant matrix, the doors and the docs. */
  readonly operations: readonly Operation<unknown>[];
  readonly schema: GraphQLSchema;
  /** The resolvers' context of one request: the caller, the services, fresh loaders. */
  context(caller: Caller): object;
  readonly workers: readonly Worker[];
  /** What runs beside every copy of the module, whether or not background work is on: what it holds in memory. */
  readonly companions?: readonly Worker[];
  /** What an operator should know although the module serves; said where it is asked whether it is ready. */
  notes?(): Promise<readonly string[]>;
  /** Where the module's migrations are. */
  readonly migrations: string;
}
