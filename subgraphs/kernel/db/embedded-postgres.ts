import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, lstat, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Account } from '../system/account.ts';
import { accessFiles, writeAccess } from './postgres-access.ts';
import { as, postgresAccount } from './postgres-account.ts';
import {
  chooseDirectory,
  chooseSocketDirectory,
  findBinaries,
  movedTo,
  ownDirectory,
  privateDirectory,
} from './postgres-directories.ts';
import { inspectProcess, liveHolder, lockFile } from './process-lock.ts';

const run = promisify(execFile);

interface PostgresOptions {
  /** Holds the cluster, its socket and its log. As root it may move: see `Postgres.place`. */
  readonly dataDir: string;
  /** Server settings (`postgresql.conf` names) over the launcher's own. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Connection to a server on its Unix socket, as one of its logins. */
interface SocketConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface Postgres {
  /** The superuser's connection, a Unix socket, no TCP. It bypasses row-level security: for migrations and administration. */
  readonly connection: SocketConnection;
  /** Actual directory of data, socket and log. */
  readonly place: string;
  /** The account that it runs as, where that is not this process's. */
  readonly account: string | undefined;
  /** Shuts the server down (fast mode); resolves when it has exited. */
  stop(): Promise<void>;
  /** Resolves when the server has exited; `expected` is true after `stop`. */
  readonly exited: Promise<{ readonly code: number | null; readonly expected: boolean }>;
}

const MAJOR = '18';
/** Part of the socket's file name; the directory is private, so nothing can collide. */
const PORT = 5432;
const SUPERUSER = 'postgres';
const LOG_ROTATE_BYTES = 16 * 1024 * 1024;
const SHUTDOWN_MS = 60_000;
const POLL_MS = 20;

/** Shell script that runs the server and sends it SIGINT when Node ends, which closes the pipe on descriptor 3. */
const GUARD = `
exec 3<&0
"$@" 3<&- </dev/null & server=$!
(cat <&3 >/dev/null; kill -INT $server) 2>/dev/null & watch=$!
exec 3<&-
trap "kill -INT $server" INT TERM
wait $server; code=$?
while kill -0 $server 2>/dev/null; do wait $server; code=$?; done
kill $watch 2>/dev/null
exit $code`;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const readLines = async (path: string): Promise<string[]> => (await readFile(path, 'utf8').catch(() => '')).split('\n');

/** Creates a cluster in a temporary directory and renames it, so that an interrupted initdb leaves nothing behind. */
const initialise = async (binaries: string, data: string, account: Account | undefined): Promise<void> => {
  const partial = `${data}.initialising`;
  await rm(partial, { recursive: true, force: true });
  const args = ['-D', partial, '-U', SUPERUSER, '-E', 'UTF8', '--no-instructions'];
  // The builtin provider sorts the same on every platform; the C library's C.UTF-8 does not exist on macOS.
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  args.push('--auth=peer');
  await privateDirectory(partial, account);
  await run(join(binaries, 'initdb'), args, as(account));
  await rename(partial, data);
};

const adopt = async (binaries: string, data: string, account: Account | undefined): Promise<void> => {
  if (!(await exists(join(data, 'PG_VERSION')))) return initialise(binaries, data, account);
  const [version] = await readLines(join(data, 'PG_VERSION'));
  if (version !== MAJOR) {
    throw new Error(
      `${data} was written by PostgreSQL ${version}; this is ${MAJOR}. Dump it with the old version first.`,
    );
  }
  const owner = await stat(data);
  if (account && owner.uid !== account.uid) await run('chown', ['-hR', `${account.uid}:${account.gid}`, data]);
  await privateDirectory(data, account);
};

const stopServer = (pid: number): void => {
  try {
    process.kill(pid, 'SIGINT'); // fast shutdown
  } catch {
    // The process ended in between, or belongs to another user: the wait below decides.
  }
};

/** Stops an orphaned server of this directory and removes its `postmaster.pid`, which could prevent the next start. */
const clearPidFile = async (data: string): Promise<void> => {
  const file = join(data, 'postmaster.pid');
  const pid = Number((await readLines(file))[0]);
  const isServer = async () => pid > 0 && ((await inspectProcess(pid))?.command.includes(data) ?? false);

  if (await isServer()) stopServer(pid);
  for (let waited = 0; await isServer(); waited += POLL_MS) {
    if (waited > SHUTDOWN_MS) throw new Error(`PostgreSQL (process ${pid}) still holds ${data} and does not stop`);
    await sleep(POLL_MS);
  }
  await rm(file, { force: true });
};

const openLog = async (path: string) => {
  const found = await lstat(path).catch(() => undefined);
  // An earlier version stored it where the account could replace it by a link.
  if (found && (!found.isFile() || found.nlink > 1)) await rm(path, { recursive: true });
  else if (found && found.size > LOG_ROTATE_BYTES) await rename(path, `${path}.1`);
  const log = await open(
    path,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  return { fd: log.fd, start: (await log.stat()).size, close: () => log.close() };
};

/** Waits until line 8 of `postmaster.pid` says that the server is ready, as `pg_ctl` does. */
const ready = async (server: ChildProcess, data: string, failure: () => Promise<string>): Promise<void> => {
  while (!(await readLines(join(data, 'postmaster.pid')))[7]?.startsWith('ready')) {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error(await failure());
    await sleep(POLL_MS);
  }
};

/** Unreferences the server process, so that it does not keep this process alive. */
const release = (server: ChildProcess): void => {
  server.unref();
  if (server.stdin instanceof Socket) server.stdin.unref();
};

/** Pid of the live process that runs the cluster of this directory, checked before a start. */
export const holderOf = async (dataDir: string): Promise<number | undefined> =>
  liveHolder(join((await movedTo(resolve(dataDir))) ?? dataDir, 'owner'));

const connectionAt = (host: string): SocketConnection => ({
  host,
  port: PORT,
  user: SUPERUSER,
  database: 'postgres',
});

/** Connections for the product's roles. Each role has its own login, so that no statement can become another role. */
export const loginsOf = (superuser: SocketConnection): { app: SocketConnection; system: SocketConnection } => ({
  app: { ...superuser, user: 'landfall_app' },
  system: { ...superuser, user: 'landfall_system' },
});

/** Creates the login roles; an earlier version had them without login. */
const ensureLogins = async (superuser: SocketConnection): Promise<void> => {
  const client = new pg.Client(superuser);
  client.on('error', () => {});
  await client.connect();
  try {
    for (const { user } of Object.values(loginsOf(superuser))) {
      const { rows } = await client.query('select rolcanlogin as "canLogin" from pg_roles where rolname = $1', [user]);
      if (rows[0]?.canLogin !== true)
        await client.query(`${rows[0] ? 'alter' : 'create'} role ${user} login noinherit`);
    }
  } finally {
    await client.end();
  }
};

/** Connection to the server of this directory while another process runs it. */
export const runningConnection = async (dataDir: string): Promise<SocketConnection> =>
  connectionAt(chooseSocketDirectory((await movedTo(resolve(dataDir))) ?? resolve(dataDir)));

/** Starts PostgreSQL unprivileged on a Unix socket. Throws if the directory is in use or the server does not start. */
export const startPostgres = async ({ dataDir, settings = {} }: PostgresOptions): Promise<Postgres> => {
  const account = await postgresAccount();
  const directory = await chooseDirectory(resolve(dataDir), account);
  await ownDirectory(directory, account);
  const unlock = await lockFile(join(directory, 'owner'));
  try {
    return await launch({ place: directory, account, unlock, settings });
  } catch (error) {
    await unlock();
    throw error;
  }
};

interface Launch {
  readonly place: string;
  readonly account: Account | undefined;
  readonly unlock: () => Promise<void>;
  readonly settings: Readonly<Record<string, string>>;
}

const launch = async ({ place: location, account, unlock, settings }: Launch): Promise<Postgres> => {
  const data = join(location, 'data');
  const host = chooseSocketDirectory(location);
  const logPath = join(location, 'postgres.log');
  const binaries = await findBinaries(account);
  await privateDirectory(host, account);
  await clearPidFile(data);
  await adopt(binaries, data, account);
  await writeAccess(data, account);

  const args = ['-D', data, '-p', String(PORT), '-k', host];
  const selected = {
    ...accessFiles(data),
    listen_addresses: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    ...settings,
  };
  for (const [name, value] of Object.entries(selected)) args.push('-c', `${name}=${value}`);

  const log = await openLog(logPath);
  const server = spawn('/bin/sh', ['-c', GUARD, 'postgres-guard', join(binaries, 'postgres'), ...args], {
    ...as(account),
    stdio: ['pipe', 'ignore', log.fd],
    detached: true, // A terminal's Ctrl-C is for Node, which then stops the server in its own order.
  });
  await once(server, 'spawn');
  let expected = false;
  const exited = new Promise<number | null>((settle) => server.once('exit', settle)).then(async (code) => {
    await unlock();
    return { code, expected };
  });
  await log.close();
  await ready(server, data, async () => {
    const text = (await readFile(logPath)).subarray(log.start).toString();
    return `PostgreSQL did not start: ${text.slice(-2000)}`;
  });
  release(server);
  const stop = async (): Promise<void> => {
    expected = true;
    server.ref();
    server.stdin?.end();
    await exited;
  };
  const connection = connectionAt(host);
  await ensureLogins(connection).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { connection, place: location, account: account?.name, exited, stop };
};
