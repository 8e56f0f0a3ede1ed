import { execFile } from 'node:child_process';
import { chmod, chown, glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, findAccount, POSTGRES_ACCOUNTS } from '@landfall/kernel/system/account';
import { systemCode } from './protocol/failure.ts';

const run = promisify(execFile);

/** Account that a root agent looks for by default, created by an administrator. */
const defaultAccount = 'landfall-run';

const creationOf = (name: string): string => `useradd --system --no-create-home --shell /usr/sbin/nologin ${name}`;

/** Value that selects the agent's own account. */
const ownAccount = 'self';

/** Checks whether PostgreSQL runs as this user. Requires /proc. */
const runsPostgres = async (uid: number): Promise<boolean> => {
  for await (const path of glob('/proc/[0-9]*/status')) {
    // A process may end between the listing and the reading.
    const status = await readFile(path, 'utf8').catch(() => '');
    if (/^Name:\tpostgres$/m.test(status) && status.includes(`\nUid:\t${uid}\t`)) return true;
  }
  return false;
};

/** Throws for root and PostgreSQL's accounts, by which a release could read the database or trace its server. */
const refusePrivileged = async ({ name, uid }: Account): Promise<void> => {
  if (uid === 0) throw new Error(`--run-as ${name}: this is root itself; name an unprivileged account.`);
  const accounts = await Promise.all(POSTGRES_ACCOUNTS.map(findAccount));
  if (accounts.some((account) => account?.uid === uid) || (await runsPostgres(uid)))
    throw new Error(
      `--run-as ${name}: PostgreSQL runs as this account, or Landfall may start it so, and a release could read its files and trace it. Make an account for releases alone (${creationOf(defaultAccount)}) and name none, or name another.`,
    );
};

/** Account for releases; undefined for the agent's own. Throws an Error with a remedy if it cannot be used. */
export const resolveRunAs = async (
  requested: string | undefined,
  isRoot = process.getuid?.() === 0,
): Promise<Account | undefined> => {
  if (requested === ownAccount || (requested === undefined && !isRoot)) return undefined;
  if (!isRoot)
    throw new Error(`--run-as ${requested}: only an agent that runs as root can start releases as another user.`);
  const name = requested ?? defaultAccount;
  const account = await findAccount(name);
  if (!account)
    throw new Error(
      `--run-as: there is no account ${name} on this host. Make it (${creationOf(name)}), or name another unprivileged account: --run-as USER.`,
    );
  await refusePrivileged(account);
  return account;
};

/** State directories that releases must not see. */
const privateDirectories = ['blobs', 'partial', 'targets', 'journal'] as const;

const unlessMissing = (error: unknown): void => {
  if (systemCode(error) !== 'ENOENT') throw error;
};

/**
 * Grants the account access to the unpacked releases in the state directory and to nothing else: it may pass the
 * directory but not list it, and its group may read the releases. The agent keeps their ownership, so that no release
 * can change one.
 * @throws Error when the account cannot reach them, or cannot run this agent's Node
 */
export const openReleasesTo = async ({ name, uid, gid }: Account, state: string): Promise<void> => {
  const releases = join(state, 'rel');
  for (const directory of privateDirectories) await chmod(join(state, directory), 0o700).catch(unlessMissing);
  await chown(releases, 0, gid);
  await chmod(releases, 0o750);
  await chmod(state, 0o711);
  const script = 'cd "$1" && exec "$2" -e ""';
  await run('/bin/sh', ['-c', script, 'sh', releases, process.execPath], { cwd: '/', uid, gid, env: {} }).catch(
    (error: unknown) => {
      throw new Error(
        `The account ${name}, which releases run as, cannot enter ${releases} or run ${process.execPath}. Open the directories above them to it (chmod o+x), choose another --state, or let releases run as this agent itself, where they can read its key: --run-as ${ownAccount}.`,
        { cause: error },
      );
    },
  );
};
