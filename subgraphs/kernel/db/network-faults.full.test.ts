import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { startFaultProxy, surviveFaults } from '../testing/fault-proxy.ts';
import { testDatabase } from '../testing/postgres.ts';
import { createDatabase } from './database.ts';
import { ping } from './ping.ts';

test('PostgreSQL behind a network that fails in every way: answers in time, and back soon after', {
  timeout: 240_000,
}, async () => {
  await using cloned = await testDatabase();
  const { connection } = cloned;
  await using proxy = await startFaultProxy({ path: `${connection.host}/.s.PGSQL.${connection.port}` });
  const database = createDatabase({ connection: { ...connection, host: proxy.host, port: proxy.port }, max: 4 });
  const acme = toTenantId('acme');
  const isGood = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      if (error instanceof Fault && /^SYS_(DATABASE_ERROR|OVERLOADED)$/.test(error.code)) return false;
      throw error;
    }
  };
  // More at once than there are connections, of each kind.
  const ask = async (): Promise<boolean> => {
    const works = Array.from({ length: 6 }, () => [
      isGood(database.read(acme, ping)),
      isGood(database.write(acme, ping)),
      isGood(database.system.read(ping)),
    ]);
    return (await Promise.all(works.flat())).every(Boolean);
  };
  assert.deepEqual(await surviveFaults(proxy, ask, { answerMs: 6_000, returnMs: 5_000 }), []);
  await database.close();
});
