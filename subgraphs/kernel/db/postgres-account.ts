import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user PostgreSQL runs as when this process is root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account that is PostgreSQL's alone. */
const OWN = 'landfall';
/** The account of earlier versions, and of machines on which none can be made: other programs may run as it, too. */
const SHARED = 'nobody';

/** Makes a system account without home, shell and password: as shadow-utils does it, and as BusyBox. */
const CREATIONS: readonly (readonly [string, ...string[]])[] = [
  ['useradd', '--system', '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', OWN],
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', OWN],
];

const SBIN = { PATH: `${process.env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin` };

export const isRoot = (): boolean => process.getuid?.() === 0;

const idOf = (flag: '-u' | '-g', name: string): Promise<number | undefined> =>
  run('id', [flag, name]).then(
    ({ stdout }) => Number(stdout),
    () => undefined,
  );

const find = async (name: string): Promise<Account | undefined> => {
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
};

/** Makes the account. A start in parallel may have made it first, and a machine may allow none. */
const create = async (): Promise<Account | undefined> => {
  for (const [command, ...args] of CREATIONS) {
    await run(command, args, { env: SBIN }).catch(() => undefined);
    const made = await find(OWN);
    if (made) return made;
  }
  return undefined;
};

/**
 * PostgreSQL refuses to run as root, so root lends it an account, which must have a passwd entry (initdb looks it up):
 * `landfall`, made where there is none, else `nobody`. Undefined when this process is unprivileged already.
 */
export const postgresAccount = async (): Promise<Account | undefined> => {
  if (!isRoot()) return undefined;
  const account = (await find(OWN)) ?? (await create()) ?? (await find(SHARED));
  if (!account) throw new Error(`PostgreSQL cannot run as root; make an account for it: useradd --system ${OWN}`);
  return account;
};

/** The account that an earlier version lent PostgreSQL, whose files this one takes over. */
export const formerAccount = (): Promise<Account | undefined> => find(SHARED);

/** Spawn options that make a child the account's; the working directory must be one that the account may enter. */
export const as = (account: Account | undefined): { cwd: string; uid?: number; gid?: number } => ({
  cwd: '/',
  ...account,
});
