import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type pg from 'pg';
import { connect, createReader, testReader, testWriters, twoDatabases, write } from './horizon.fixture.ts';
import { findHorizon, listHolders } from './horizon.ts';
import type { Cursor } from './read.ts';

const START: Cursor = { xid: 0n, id: 0n };

// The full run has many more of both.
testReader(6);
testWriters(8);

/** Starts sessions until one has one of the wanted process ids; Linux lets root choose the next one. */
const connectAs = async (connection: pg.ClientConfig, pids: ReadonlySet<number>): Promise<pg.Client | undefined> => {
  for (const wanted of pids) {
    await writeFile('/proc/sys/kernel/ns_last_pid', String(wanted - 1));
    const client = await connect(connection);
    if (pids.has(await pidOf(client))) return client;
    await client.end();
  }
  return undefined;
};

const pidOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? assert.fail();
};

/** Sessions of the other database that end at once: programs beside the tests may take the ids of some for themselves. */
const ENDED = 12;

/**
 * A session of ours with the process id of one of the other database that has ended, and a transaction that has remembered
 * the sessions of before.
 */
const reuse = async (setup: Awaited<ReturnType<typeof twoDatabases>>) => {
  for (let attempts = 0; attempts < 10; attempts++) {
    const others = await Promise.all(Array.from({ length: ENDED }, () => connect(setup.foreign)));
    const pids = new Set(await Promise.all(others.map(pidOf)));
    const reader = await setup.session(setup.ours);
    await reader.query('begin');
    await reader.query('select count(*) from pg_stat_activity');
    await Promise.all(others.map((other) => other.end()));
    const repeated = await connectAs(setup.ours, pids);
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
