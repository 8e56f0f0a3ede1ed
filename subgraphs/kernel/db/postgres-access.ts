import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, as } from './postgres-account.ts';

const run = promisify(execFile);

const MAP = 'landfall';
const HEAD = '# Written by Landfall at every start.';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * The operating system says who is at the socket (`peer`, PostgreSQL 20.9): the user of this process, and root. Not the
 * account that the server runs as, as which other programs may run.
 */
const filesFor = (user: string): Readonly<Record<string, readonly string[]>> => ({
  'pg_hba.conf': [HEAD, `local all all peer map=${MAP}`],
  'pg_ident.conf': [HEAD, ...new Set([user, 'root'].map((name) => `${MAP} ${quoted(name)} all`))],
});

/** Written by the account: root follows no link that stands in a directory of another's. */
const WRITE = 'umask 077; printf "%s\\n" "$2" > "$1.new" && mv "$1.new" "$1"';

/** Says who may log in to a cluster, before its server starts; a cluster of an earlier version let in its account, too. */
export const writeAccess = async (data: string, account: Account | undefined): Promise<void> => {
  for (const [name, lines] of Object.entries(filesFor(userInfo().username)))
    await run('/bin/sh', ['-c', WRITE, 'sh', join(data, name), lines.join('\n')], as(account));
};
