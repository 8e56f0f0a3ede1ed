import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { graphql } from 'graphql';
import pg from 'pg';
import type { Caller } from '../core/caller.ts';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { createSecrets } from '../crypto/secrets.ts';
import { createDatabase } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import type { Shape } from '../db/table.ts';
import { createHints, type Hints } from '../events/hint.ts';
import { formatGraphError } from '../graph/subgraph.ts';
import { createHttpClient } from '../http/client.ts';
import type { Deps, Module } from '../module.ts';
import { createOperations } from '../operation/operation.ts';
import { registerRoutes } from '../routes/plugin.ts';
import type { Route } from '../routes/route.ts';
import { openEgress } from '../system/egress.ts';
import { silentLog } from '../system/log.ts';
import { isPerson, type Person, people } from './callers.ts';
import { fixedClock } from './clock.ts';
import { seededIds } from './ids.ts';
import { testDatabase } from './postgres.ts';

export interface As {
  /** One of the usual people, or a caller of the test's own; `operator` unless said otherwise. */
  readonly as?: Person | Caller;
}

const callerOf = ({ as = 'operator' }: As): Caller => (typeof as === 'string' ? people[as] : as);

/** Moves the database's clock and the process's together. */
const movingClock = (connection: pg.ClientConfig) => {
  const clock = fixedClock();
  let client: Promise<pg.Client> | undefined;
  const open = async () => {
    const opened = new pg.Client(connection);
    opened.on('error', () => undefined); // the next change of the clock reports the same error
    await opened.connect();
    return opened;
  };
  return {
    clock: {
      now: clock.now,
      async advance(ms: number): Promise<void> {
        clock.advance(ms);
        client ??= open();
        await (await client).query('update kernel.test_clock set at = $1', [clock.now()]);
      },
    },
    close: async (): Promise<void> => (await client)?.end(),
  };
};

/**
 * Hints that connect once something in this process listens to them: a connection costs a server process, and few tests
 * listen. Until then a hint has no reader here, and other processes find events by their polls.
 */
const hintsOnDemand = (connection: pg.ClientConfig): Hints => {
  let opened: Hints | undefined;
  const open = (): Hints => {
    opened ??= createHints(connection);
    return opened;
  };
  return {
    publish: (entities) => opened?.publish(entities),
    of: (...entities) => ({
      listen: (notify) =>
        open()
          .of(...entities)
          .listen(notify),
    }),
    listen: (notify, onPublish) => open().listen(notify, onPublish),
    close: async () => opened?.close(),
  };
};

/** Dependencies over a database of one test: real PostgreSQL, a fixed clock, seeded ids. */
export const testDeps = async (seed?: string) => {
  const cloned = await testDatabase();
  const hints = hintsOnDemand(cloned.connection);
  const statements: (string | undefined)[] = [];
  const database = createDatabase({
    connection: cloned.connection,
    max: 12,
    onEvents: hints.publish,
    onStatement: (name) => void statements.push(name),
  });
  const rootKey = randomBytes(32);
  const secrets = createSecrets([rootKey]);
  const http = createHttpClient({ egress: openEgress });
  const { clock, close } = movingClock(cloned.connection);
  const deps: Deps = {
    database,
    secrets,
    http,
    egress: openEgress,
    hints,
    clock,
    ids: seededIds(seed),
    log: silentLog,
    operation: createOperations(database, secrets),
  };
  return {
    deps,
    clock,
    connection: cloned.connection,
    /** The names of the statements sent so far; a test may empty it. */
    statements,
    /** Root key, for a second process over this database. */
    rootKey,
    async [Symbol.asyncDispose]() {
      await http.close();
      await hints.close();
      await database.close();
      await close();
      await cloned.drop();
    },
  };
};

/**
 * Starts a module with GraphQL and REST, for tests: `await using app = await testApp({ createModule: (deps) =>
 * createThing(deps) })`. The caller is given without a token: the edge has tests of its own.
 */
export const testApp = async <M extends Module>({
  createModule,
  routes = () => [],
}: {
  readonly createModule: (deps: Deps) => M | Promise<M>;
  readonly routes?: (module: M) => readonly Route[];
}) => {
  const base = await testDeps();
  const { deps, clock } = base;
  const bugs: unknown[] = [];
  const noteBug = (error: unknown): void => {
    bugs.push(error);
  };
  const module = await createModule(deps);
  const server = Fastify({ genReqId: () => deps.ids.uuid() });
  await registerRoutes(server, routes(module), {
    clock,
    ids: deps.ids,
    onBug: noteBug,
    callerOf: async ({ headers }) => {
      const name = headers['x-test-person'];
      if (!isPerson(name)) throw new Fault('AUTH_TOKEN_MISSING', 'No token.');
      return people[name];
    },
  });
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });

  return {
    ...base,
    module,
    origin,
    /** Errors that were masked as SYS_INTERNAL_ERROR so far. */
    bugs,
    caller: (person: Person): Caller => people[person],
    /** A query or mutation through the module's schema, errors formatted as the gateway does. */
    async graph(source: string, variableValues: Record<string, unknown> = {}, as: As = {}) {
      const contextValue = module.context(callerOf(as));
      const { data, errors } = await graphql({ schema: module.schema, source, variableValues, contextValue });
      return { data, errors: errors?.map((error) => formatGraphError(error, 'test', noteBug)) };
    },
    /** A request to a route over a real socket. */
    async rest(method: string, path: string, { as = 'operator', body }: { as?: Person; body?: unknown } = {}) {
      const response = await fetch(origin + path, {
        method,
        headers: { 'x-test-person': as, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },
    rows: <R>(shape: Shape<R>, statement: Sql, tenant = 'acme'): Promise<R[]> =>
      deps.database.read(toTenantId(tenant), (query) => query.list(shape, statement)),
    async [Symbol.asyncDispose]() {
      await server.close();
      await base[Symbol.asyncDispose]();
    },
  };
};
