import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { ping } from '../db/ping.ts';
import { testDeps } from '../testing/app.ts';
import { people } from '../testing/callers.ts';
import { createBatch } from './batch.ts';
import { toTenantId } from './ids.ts';

const acme = toTenantId('acme');

test('an operation that asks for a second connection while it holds one is refused by name', async () => {
  await using base = await testDeps();
  const { database, operation } = base.deps;
  const greedy = operation({
    name: 'note.read',
    kind: 'read',
    scope: [],
    input: Type.Object({}),
    raises: [],
    example: {},
    run: () => database.system.read(ping),
  });
  await assert.rejects(greedy(people.operator, {}), {
    name: 'TypeError',
    message: 'note.read asks for a second database connection while it holds a database connection',
  });
});

test('nothing goes over the network while a connection is held', async () => {
  await using base = await testDeps();
  const { database, http } = base.deps;
  const request = { url: 'http://127.0.0.1:9/', correlationId: 'c-1' };
  const refused = { name: 'TypeError', message: /asks for .*127\.0\.0\.1:9 while it holds a database connection/ };
  await assert.rejects(
    database.read(acme, () => http.send(request)),
    refused,
  );
  await assert.rejects(
    database.write(acme, () => http.stream(request)),
    refused,
  );
});

test('a batch refuses who holds a connection, and serves others in nobody’s name', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const load = createBatch(async (keys: readonly number[]) => {
    await database.system.read(ping);
    return keys;
  });
  await assert.rejects(
    database.read(acme, async () => load(1)),
    /asks for a batch/,
  );
  assert.deepEqual(await Promise.all([load(1), load(2)]), [1, 2]);
});

test('work that a holder left running may ask for a connection once the holder is done', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  const remaining = await database.read(acme, async () => ({
    running: finished.then(() => database.system.read(ping)),
  }));
  resolve();
  assert.equal(await remaining.running, 1);
});
