import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { checkDatabase } from '../process/database-check.ts';
import { readComposeFile } from '../testing/compose-file.ts';
import { startPostgresService } from '../testing/compose-postgres.ts';
import { freePorts } from '../testing/processes.ts';

const WAIT_OPTIONS = { interval: 100, timeout: 60_000 };

test('the database of docker-compose.yml is UTF-8, and lets nobody in without its password', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'landfall-compose-database-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  await chmod(home, 0o711);
  const secret = join(home, 'password');
  await writeFile(secret, 'of the test\n');
  const { services } = await readComposeFile(join(import.meta.dirname, '../../docker-compose.yml'), {});
  const environment = { ...services.postgres?.environment, POSTGRES_PASSWORD_FILE: secret };
  const [port = 0] = await freePorts(1);
  const postgres = await startPostgresService({ home: join(home, 'postgres'), port, environment });
  t.after(async () => {
    const exited = once(postgres.child, 'exit');
    postgres.child.kill('SIGINT');
    await exited;
  });
  await t.waitFor(() => postgres.createDatabase(), WAIT_OPTIONS);
  const url = (password: string) => `postgresql://landfall:${encodeURIComponent(password)}@127.0.0.1:${port}/landfall`;
  await checkDatabase('DATABASE_URL', url('of the test'));
  await assert.rejects(checkDatabase('DATABASE_URL', url('another')), /refuses the user landfall/);
  const client = new pg.Client(url('of the test'));
  await client.connect();
  const { rows } = await client
    .query('select pg_encoding_to_char(encoding) as encoding, datlocprovider from pg_database where datname = $1', [
      'landfall',
    ])
    .finally(() => client.end());
  assert.deepEqual(rows, [{ encoding: 'UTF8', datlocprovider: 'b' }]);
});
