import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Account, findAccount, isRoot, POSTGRES_ACCOUNT, SHARED_ACCOUNT } from '../system/account.ts';

const run = promisify(execFile);

const USERADD = [
  'useradd',
  '--system',
  '--no-create-home',
  '--home-dir',
  '/nonexistent',
  '--shell',
  '/usr/sbin/nologin',
];

/** Makes a system account without home, shell and password: as shadow-utils does it, with a group that is there, and as BusyBox. */
const CREATIONS = [
  [...USERADD, POSTGRES_ACCOUNT],
  [...USERADD, '--gid', POSTGRES_ACCOUNT, POSTGRES_ACCOUNT],
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', POSTGRES_ACCOUNT],
];

/** Environment of PostgreSQL's programs, without our secrets. */
const ENVIRONMENT = { PATH: `${process.env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`, LC_ALL: 'C', TZ: 'UTC' };

/** Creates the account; a concurrent start may have created it, and some systems allow none. */
const createAccount = async (): Promise<Account | undefined> => {
  for (const [command = '', ...args] of CREATIONS) {
    await run(command, args, { env: ENVIRONMENT }).catch(() => undefined);
    const created = await findAccount(POSTGRES_ACCOUNT);
    if (created) return created;
  }
  return undefined;
};

/** Account that runs PostgreSQL for root: `landfall`, created if missing, else `nobody`. Undefined if not root. */
export const postgresAccount = async (): Promise<Account | undefined> => {
  if (!isRoot()) return undefined;
  const account =
    (await findAccount(POSTGRES_ACCOUNT)) ?? (await createAccount()) ?? (await findAccount(SHARED_ACCOUNT));
  if (!account)
    throw new Error(`PostgreSQL cannot run as root; make an account for it: useradd --system ${POSTGRES_ACCOUNT}`);
  return account;
};

/** Spawn options that run a child as the account, in a working directory that it may enter. */
export const as = (account: Account | undefined) => ({
  cwd: '/',
  env: ENVIRONMENT,
  ...(account && { uid: account.uid, gid: account.gid }),
});
