import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import type { Database } from '../db/database.ts';
import { testDeps } from '../testing/app.ts';
import { testDatabase } from '../testing/postgres.ts';
import { findHorizon, listHolders } from './horizon.ts';
import { type Cursor, cursorOf, list, newest } from './read.ts';

const START: Cursor = { xid: 0n, id: 0n };

const connect = async (connection: pg.ClientConfig): Promise<pg.Client> => {
  const client = new pg.Client(connection);
  client.on('error', () => undefined); // a session that a test ends
  await client.connect();
  return client;
};

const INSERT = `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
  values ('acme', 'note.write', 'Note', $1, 1, 'somebody', 'c-1', '{}') returning xid::text as xid`;

const write = async (client: pg.Client, id: string): Promise<bigint> =>
  BigInt((await client.query<{ xid: string }>(INSERT, [id])).rows[0]?.xid ?? assert.fail());

/** Two databases of one server: events are read in `own`. */
const twoDatabases = async () => {
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
const createReader = (database: Database, from: Cursor) => {
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
    { numRuns: 40 },
  );
});

test('under concurrent writers of both databases no reader passes over an event', async () => {
  await using setup = await twoDatabases();
  const reader = createReader(setup.database, await setup.database.system.read(newest));
  let isWriting = true;
  const text: string[] = [];
  const writer = async (connection: pg.ClientConfig, name: string): Promise<void> => {
    for (let round = 0; round < 60; round++) {
      // A session each ten rounds: process ids come and go between the databases.
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
  assert.equal(text.length, 960);
  assert.deepEqual(reader.seen.toSorted(), text.toSorted());
});

/** Starts sessions until one has the wanted process id; Linux lets root choose the next one. */
const connectAs = async (connection: pg.ClientConfig, pid: number): Promise<pg.Client | undefined> => {
  for (let attempts = 0; attempts < 50; attempts++) {
    await writeFile('/proc/sys/kernel/ns_last_pid', String(pid - 1));
    const client = await connect(connection);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    if (rows[0]?.pid === pid) return client;
    await client.end();
  }
  return undefined;
};

/**
 * A session of ours with the process id of one of the other database that has ended, and a transaction that has remembered
 * the sessions of before. Programs beside the tests may take an id for themselves: then another one is tried.
 */
const reuse = async (setup: Awaited<ReturnType<typeof twoDatabases>>) => {
  for (let attempts = 0; attempts < 10; attempts++) {
    const other = await connect(setup.foreign);
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const reader = await setup.session(setup.ours);
    await reader.query('begin');
    await reader.query('select count(*) from pg_stat_activity');
    await other.end();
    const repeated = await connectAs(setup.ours, rows[0]?.pid ?? assert.fail());
    if (repeated) return { reader, again: repeated };
    await reader.query('rollback');
  }
  return assert.fail('no process id was given out again');
};

const canChoosePids = async (): Promise<boolean> => {
  const before = spawn('true').pid ?? 0;
  return writeFile('/proc/sys/kernel/ns_last_pid', String(before)).then(
    () => true,
    () => false,
  );
};

test('a process id that is given out again in our database proves nothing of the other one', async (t) => {
  if (!(await canChoosePids())) return t.skip('only root on Linux chooses process ids');
  await using setup = await twoDatabases();
  const { reader, again: repeated } = await reuse(setup);
  await repeated.query('begin');
  const xid = await write(repeated, 'reused');
  await write(await setup.session(setup.ours), 'later'); // so that the snapshot lists the transaction before it
  const horizon = await reader.query<{ xid: string }>('select kernel.horizon(pg_current_snapshot())::text as xid');
  assert.equal(BigInt(horizon.rows[0]?.xid ?? 0), xid);
  await repeated.query('rollback');
  await repeated.end();
});

test('a transaction does not read its own events, which it may still roll back', async () => {
  await using setup = await twoDatabases();
  const client = await setup.session(setup.ours);
  await client.query('begin');
  const xid = await write(client, 'own');
  await write(await setup.session(setup.ours), 'later');
  const { rows } = await client.query('select kernel.horizon(pg_current_snapshot())::text as xid');
  assert.equal(BigInt(rows[0]?.xid ?? 0), xid);
});

test('a transaction prepared in another database holds nothing back, and one in ours does', async () => {
  await using setup = await twoDatabases();
  const [first, second] = [await setup.session(setup.ours), await setup.session(setup.foreign)];
  const prepare = async (client: pg.Client, gid: string) => {
    await client.query('begin');
    const xid = await write(client, gid);
    await client.query(`prepare transaction '${gid}'`);
    return xid;
  };
  const name = setup.ours.database;
  await prepare(second, `${name}-there`);
  const reader = createReader(setup.database, START);
  await write(first, 'first');
  await reader.readOn();
  assert.deepEqual(reader.seen, ['first']);
  const prepared = await prepare(first, `${name}-here`);
  await write(first, 'second');
  await reader.readOn();
  assert.deepEqual(reader.seen, ['first']);
  assert.equal(await setup.database.system.read(findHorizon), prepared);
  const [holder] = await setup.database.system.read(listHolders);
  assert.equal(holder?.gid, `${name}-here`);
  await first.query(`commit prepared '${name}-here'`);
  await second.query(`rollback prepared '${name}-there'`);
  await reader.readOn();
  assert.deepEqual(reader.seen.toSorted(), ['first', `${name}-here`, 'second'].toSorted());
});

/** Feedback of a standby that still reads old rows (PostgreSQL, streaming replication protocol: hot standby feedback). */
const feedback = (xmin: bigint): Buffer => {
  const message = Buffer.alloc(25);
  message.write('h');
  message.writeBigInt64BE(0n, 1);
  message.writeUInt32BE(Number(xmin % 2n ** 32n), 9);
  message.writeUInt32BE(Number(xmin / 2n ** 32n), 13);
  return message;
};

const isCopying = (value: unknown): value is { sendCopyFromChunk(chunk: Buffer): void } =>
  typeof value === 'object' && value !== null && 'sendCopyFromChunk' in value;

test('the feedback of a standby holds nothing back', async () => {
  await using setup = await twoDatabases();
  const old = await setup.database.system.read(findHorizon);
  const standby: pg.ClientConfig = { ...setup.ours, ...{ replication: 'true' } };
  const replica = await setup.session(standby);
  const position = await replica.query<{ xlogpos: string }>('IDENTIFY_SYSTEM');
  void replica.query(`START_REPLICATION PHYSICAL ${position.rows[0]?.xlogpos}`).catch(() => undefined);
  const connection: unknown = 'connection' in replica ? replica.connection : undefined;
  assert.ok(isCopying(connection));
  const client = await setup.session(setup.ours);
  const xminOf = async () =>
    (await client.query<{ xmin: string | null }>('select backend_xmin::text as xmin from pg_stat_replication')).rows;
  for (let attempts = 0; attempts < 200 && !(await xminOf()).some(({ xmin }) => xmin !== null); attempts++) {
    connection.sendCopyFromChunk(feedback(old));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(
    (await xminOf()).some(({ xmin }) => xmin === String(old % 2n ** 32n)),
    'the server has the feedback',
  );
  const reader = createReader(setup.database, START);
  await write(client, 'first');
  await reader.readOn();
  assert.deepEqual(reader.seen, ['first']);
});
