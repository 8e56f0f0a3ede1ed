import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from '../system/account.ts';
import { as } from './postgres-account.ts';

const run = promisify(execFile);

const MAP = 'landfall';
const HEAD = '# Written by Landfall at every start.';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Access files of a cluster: `peer` authentication for this user and root only (PostgreSQL manual, 20.9). */
const filesFor = (user: string): Readonly<Record<string, readonly string[]>> => ({
  'pg_hba.conf': [HEAD, `local all all peer map=${MAP}`, `local replication all peer map=${MAP}`],
  'pg_ident.conf': [HEAD, ...new Set([user, 'root'].map((name) => `${MAP} ${quoted(name)} all`))],
});

/** Shell command that writes a file as the account, so that root follows no link in a directory of another user. */
const WRITE = 'umask 077; printf "%s\\n" "$2" > "$1.new" && mv "$1.new" "$1"';

/** Settings that name the files: a cluster may name others (`alter system`). */
export const accessFiles = (data: string): Readonly<Record<string, string>> => ({
  hba_file: join(data, 'pg_hba.conf'),
  ident_file: join(data, 'pg_ident.conf'),
});

/** @throws Error when the operating system has no name for this user, as in a container with a number of its own */
const userName = (): string => {
  try {
    return userInfo().username;
  } catch (error) {
    throw new Error(`The user ${process.getuid?.()} has no passwd entry, which PostgreSQL needs; give it one.`, {
      cause: error,
    });
  }
};

/** Writes the access files of a cluster before its server starts. */
export const writeAccess = async (data: string, account: Account | undefined): Promise<void> => {
  for (const [name, lines] of Object.entries(filesFor(userName())))
    await run('/bin/sh', ['-c', WRITE, 'sh', join(data, name), lines.join('\n')], as(account));
};
