import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { testDatabase } from './postgres.ts';

const rows = async (connection: pg.ClientConfig, sql: string): Promise<unknown[]> => {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

test('each test database has every migration and nothing of its neighbours', async () => {
  await using one = await testDatabase();
  await using two = await testDatabase();
  await rows(one.connection, 'create table mine as select 1 as n');

  assert.deepEqual(await rows(two.connection, "select to_regclass('mine') as found"), [{ found: null }]);
  assert.deepEqual(await rows(two.connection, "select to_regclass('kernel.events') is not null as migrated"), [
    { migrated: true },
  ]);
});

test('the url and the connection name the same database, and drop removes it though somebody is connected', async () => {
  await using database = await testDatabase();
  const dropped = await testDatabase();
  assert.deepEqual(await rows({ connectionString: dropped.url }, 'select current_database() as name'), [
    { name: dropped.name },
  ]);

  const client = new pg.Client(dropped.connection);
  client.on('error', () => undefined); // receives the notice that the server ends its connection
  await client.connect();
  await dropped.drop();
  const found = await rows(database.connection, `select datname from pg_database where datname = '${dropped.name}'`);
  assert.deepEqual(found, []);
});
