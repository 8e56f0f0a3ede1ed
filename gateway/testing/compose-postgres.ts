/** Service `postgres` of docker-compose.yml, started like its image from the embedded binaries. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { as, postgresAccount } from '@landfall/kernel/db/postgres-account';
import { findBinaries } from '@landfall/kernel/db/postgres-directories';
import pg from 'pg';

const run = promisify(execFile);

interface PostgresService {
  readonly home: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a statement at the maintenance database, which may still be starting. */
const administer = async (config: pg.ClientConfig, statement: string): Promise<void> => {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

/**
 * Initialises the cluster like the image's entry point: initdb with `POSTGRES_INITDB_ARGS` and the password of
 * `POSTGRES_PASSWORD_FILE`. TCP requires the password also on loopback, since roles connect from there.
 */
const prepare = async (binaries: string, data: string, environment: PostgresService['environment']): Promise<void> => {
  const { POSTGRES_USER = '', POSTGRES_PASSWORD_FILE = '', POSTGRES_INITDB_ARGS = '' } = environment;
  const ports = POSTGRES_INITDB_ARGS.split(' ').filter((arg) => arg !== '');
  const account = await postgresAccount();
  // The entry point reads the secret as root and passes it on, so the server's account need not be able to read it.
  const passwordFile = `${data}.password`;
  await copyFile(POSTGRES_PASSWORD_FILE, passwordFile);
  if (account) await chown(passwordFile, account.uid, account.gid);
  const args = ['-D', data, `--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, ...ports];
  await run(join(binaries, 'initdb'), args, as(account));
  await rm(passwordFile);
  await writeFile(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
};

/** Starts the server, and creates the database of `POSTGRES_DB` in a new cluster. */
export const startPostgresService = async ({ home, port, environment }: PostgresService) => {
  const account = await postgresAccount();
  const binaries = await findBinaries(account);
  const data = join(home, 'data');
  await mkdir(home, { recursive: true });
  if (account) await chown(home, account.uid, account.gid);
  const isNew = await access(data).then(
    () => false,
    () => true,
  );
  if (isNew) await prepare(binaries, data, environment);
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const server = spawn(join(binaries, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...as(account),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(server, 'spawn');
  const { POSTGRES_USER: user = '', POSTGRES_PASSWORD_FILE = '', POSTGRES_DB = '' } = environment;
  return {
    child: server,
    /** Creates the database in a new cluster, as the image does between its two starts of the server. */
    async createDatabase(): Promise<void> {
      if (!isNew) return;
      const password = (await readFile(POSTGRES_PASSWORD_FILE, 'utf8')).trim();
      await administer(
        { host: '127.0.0.1', port, user, password, database: 'postgres' },
        `create database "${POSTGRES_DB}"`,
      );
    },
  };
};
