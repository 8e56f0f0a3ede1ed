import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { freePorts } from '../testing/processes.ts';
import { checkDatabase, databaseRefusal } from './database-check.ts';

test('a database that answers is used; one that does not is named without its password', async () => {
  await using database = await testDatabase();
  await checkDatabase('DATABASE_URL', database.url);

  const [port] = await freePorts(1);
  const password = randomBytes(8).toString('hex');
  await assert.rejects(
    checkDatabase('DATABASE_URL', `postgres://ann:${password}@127.0.0.1:${port}/shop`),
    ({ message }) => {
      assert.match(
        message,
        /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+\/shop \(.*ECONNREFUSED.*\); start it/,
      );
      assert.doesNotMatch(message, new RegExp(password));
      return true;
    },
  );
});

test('who may not log in, a database that is missing, and a role that may too little are told apart', () => {
  const url = 'postgres://ann:word@db.example:5433/shop';
  const message = (code: string) =>
    databaseRefusal('DATABASE_URL', url, Object.assign(new Error('it says'), { code })).message;
  assert.match(message('28P01'), /refuses the user ann \(it says\); correct user name and password\.$/);
  assert.match(message('3D000'), /db\.example:5433\/shop: it says; create it/);
  assert.match(message('42501'), /the user ann may not prepare .*CREATEROLE/);
});
