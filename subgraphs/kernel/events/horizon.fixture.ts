import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import type { Database } from '../db/database.ts';
import { testDeps } from '../testing/app.ts';
import { testDatabase } from '../testing/postgres.ts';
import { type Cursor, cursorOf, list, newest } from './read.ts';

export const connect = async (connection: pg.ClientConfig): Promise<pg.Client> => {
  const client = new pg.Client(connection);
  client.on('error', () => undefined); // a session that a test ends
  await client.connect();
  return client;
};

const INSERT = `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
  values ('acme', 'note.write', 'Note', $1, 1, 'somebody', 'c-1', '{}') returning xid::text as xid`;

export const write = async (client: pg.Client, id: string): Promise<bigint> =>
  BigInt((await client.query<{ xid: string }>(INSERT, [id])).rows[0]?.xid ?? assert.fail());

/** Two databases of one server: events are read in `own`. */
export const twoDatabases = async () => {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(await testDeps());
  const other = stack.use(await testDatabase());
  const resources = stack.move();
  return {
    database: own.deps.database,
    log: own.deps.log,
    ours: own.connection,
    foreign: other.connection,
    /** A session in one of them, ended with the test. */
    session: async (connection: pg.ClientConfig) => {
      const client = await connect(connection);
      resources.defer(() => client.end().catch(() => undefined));
      return client;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

type Step = {
  readonly session: number;
  readonly deed: 'write' | 'nested' | 'undone' | 'commit' | 'rollback' | 'prepare' | 'finish' | 'kill';
};

const SESSIONS = 5;
/** The sessions from this number on are in the other database. */
const FOREIGN_FROM = 3;

/** A session of the model: its open transaction, and what it prepared. */
interface Modelled {
  client: pg.Client;
  xid: bigint | undefined;
  pending: string[];
  prepared: { readonly gid: string; readonly xid: bigint; readonly pending: readonly string[] } | undefined;
}

const createModel = async (connections: readonly pg.ClientConfig[], prefix: string) => {
  const sessions: Modelled[] = [];
  for (const connection of connections)
    sessions.push({ client: await connect(connection), xid: undefined, pending: [], prepared: undefined });
  /** Committed events of our database with their transactions. */
  const committed = new Map<string, bigint>();
  let count = 0;

  const end = (session: Modelled): void => {
    session.xid = undefined;
    session.pending = [];
  };
  const settle = (index: number, ids: readonly string[], xid: bigint): void => {
    if (index < FOREIGN_FROM) for (const id of ids) committed.set(id, xid);
  };

  /** Writes an event: by itself, in a subtransaction, or in one that is undone. */
  const insert = async (session: Modelled, action: 'write' | 'nested' | 'undone'): Promise<void> => {
    const { client } = session;
    const id = `${prefix}-${count++}`;
    if (session.xid === undefined) await client.query('begin');
    if (action !== 'write') await client.query('savepoint nested');
    const xid = await write(client, id);
    session.xid ??= xid;
    if (action === 'undone') await client.query('rollback to savepoint nested');
    else session.pending.push(id);
  };

  /** Ends the session from another one, as an operator does, and connects it again. */
  const kill = async (session: Modelled, connection: pg.ClientConfig, xid: bigint): Promise<void> => {
    const removed = new Promise((resolve) => session.client.once('end', resolve));
    const killer = await connect(connection);
    await killer.query(
      `select pg_terminate_backend(pid, 5000) from pg_locks
       where locktype = 'transactionid' and granted and transactionid::text = $1`,
      [String(xid % 2n ** 32n)],
    );
    await killer.end();
    await removed;
    session.client = await connect(connection);
    end(session);
  };

  /** Ends an open transaction in one of four ways. */
  const conclude = async (index: number, session: Modelled, xid: bigint, action: Step['deed']): Promise<void> => {
    if (action === 'kill') return kill(session, connections[index] ?? assert.fail(), xid);
    if (action === 'prepare' && session.prepared) return;
    const gid = `${prefix}-${index}-${count++}`;
    await session.client.query(action === 'prepare' ? `prepare transaction '${gid}'` : action);
    if (action === 'prepare') session.prepared = { gid, xid, pending: session.pending };
    if (action === 'commit') settle(index, session.pending, xid);
    end(session);
  };

  const run = async (index: number, action: Step['deed']): Promise<void> => {
    const session = sessions[index] ?? assert.fail();
    const { xid, prepared } = session;
    if (action === 'write' || action === 'nested' || action === 'undone') return insert(session, action);
    if (action !== 'finish') return xid === undefined ? undefined : conclude(index, session, xid, action);
    if (!prepared || xid !== undefined) return;
    await session.client.query(`commit prepared '${prepared.gid}'`);
    settle(index, prepared.pending, prepared.xid);
    session.prepared = undefined;
  };

  return {
    act: run,
    /** Events that must be readable now: committed, below every open transaction of our database; and only these. */
    readable: (): string[] => {
      const open = sessions
        .slice(0, FOREIGN_FROM)
        .flatMap(({ xid, prepared }) => [xid, prepared?.xid])
        .filter((xid) => xid !== undefined);
      return [...committed].filter(([, xid]) => open.every((other) => xid < other)).map(([id]) => id);
    },
    finish: async () => {
      for (const at of sessions.keys()) for (const action of ['commit', 'finish'] as const) await run(at, action);
    },
    close: async () => {
      for (const { client, prepared } of sessions) {
        await client.query('rollback').catch(() => undefined);
        if (prepared) await client.query(`rollback prepared '${prepared.gid}'`).catch(() => undefined);
        await client.end();
      }
    },
  };
};

/** Creates a reader with a cursor of its own, which records everything it has read. */
export const createReader = (database: Database, from: Cursor) => {
  let cursor = from;
  const received: string[] = [];
  return {
    seen: received,
    async readOn(): Promise<void> {
      const events = await database.system.read((query) => list(query, cursor, 1_000));
      for (const event of events) received.push(event.entityId);
      const last = events.at(-1);
      if (last) cursor = cursorOf(last);
    },
  };
};

const actions = [
  ...Array.from({ length: 4 }, () => 'write' as const),
  'nested',
  'undone',
  ...Array.from({ length: 3 }, () => 'commit' as const),
  'rollback',
  'prepare',
  'finish',
  'kill',
] as const;

/** Defines a test of random steps of several sessions: this many sequences of them. */
export const testReader = (sequences: number): void => {
  test('a reader reads each event once, at once when no earlier transaction of its own database is open', async () => {
    await using setup = await twoDatabases();
    const { ours: own, foreign: other, database } = setup;
    const connections = [own, own, own, other, other];
    let run = 0;
    const step = fc.record({ session: fc.nat(SESSIONS - 1), deed: fc.constantFrom(...actions) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps: Step[]) => {
        const model = await createModel(connections, `run${run++}`);
        try {
          const reader = createReader(database, await database.system.read(newest));
          for (const { session, deed: action } of steps) {
            await model.act(session, action);
            await reader.readOn();
            assert.deepEqual(reader.seen.toSorted(), model.readable().toSorted());
          }
          await model.finish();
          await reader.readOn();
          assert.deepEqual(reader.seen.toSorted(), model.readable().toSorted());
        } finally {
          await model.close();
        }
      }),
      { numRuns: sequences },
    );
  });
};

/** Defines a test of writers at once, of this many sessions each. */
export const testWriters = (rounds: number): void => {
  test('under concurrent writers of both databases no reader passes over an event', async () => {
    await using setup = await twoDatabases();
    const reader = createReader(setup.database, await setup.database.system.read(newest));
    let isWriting = true;
    const text: string[] = [];
    const writer = async (connection: pg.ClientConfig, name: string): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        // A session each round: process ids come and go between the databases.
        const client = await connect(connection);
        for (let index = 0; index < 4; index++) {
          const id = `${name}-${round}-${index}`;
          await client.query('begin');
          await client.query('select pg_current_xact_id()');
          if (index % 2 === 0) await client.query('savepoint s');
          await client.query(`select pg_sleep(${(round * 7 + index * 3) % 10} / 1000.0)`);
          await write(client, id);
          await client.query('commit');
          if (connection === setup.ours) text.push(id);
        }
        await client.end();
      }
    };
    const reading = (async () => {
      while (isWriting) await reader.readOn();
    })();
    await Promise.all([
      ...['a', 'b', 'c', 'd'].map((name) => writer(setup.ours, name)),
      ...['x', 'y', 'z'].map((name) => writer(setup.foreign, name)),
    ]);
    isWriting = false;
    await reading;
    await reader.readOn();
    assert.equal(text.length, rounds * 16);
    assert.deepEqual(reader.seen.toSorted(), text.toSorted());
  });
};
