import { execFile } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from './failure.ts';

const run = promisify(execFile);

/** The account that releases of the process driver run as. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that a root agent looks for when none is named: one that an administrator made for it, then everybody's. */
const defaultAccounts = ['landfall-run', 'nobody'] as const;

/** The word for the agent's own account. */
export const ownAccount = 'self';

const idOf = async (flag: '-u' | '-g', name: string): Promise<number | undefined> =>
  run('id', [flag, name]).then(
    ({ stdout }) => Number(stdout),
    () => undefined,
  );

const findAccount = async (name: string): Promise<Account | undefined> => {
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
  return uid === undefined || gid === undefined ? undefined : { name, uid, gid };
};

/**
 * The account for releases; undefined for the agent's own. An agent that is not root has no other to give.
 * @throws Error that says what to do when the account that is asked for cannot be used
 */
export const resolveRunAs = async (
  wanted: string | undefined,
  isRoot = process.getuid?.() === 0,
): Promise<Account | undefined> => {
  if (wanted === ownAccount || (wanted === undefined && !isRoot)) return undefined;
  if (!isRoot)
    throw new Error(`--run-as ${wanted}: only an agent that runs as root can start releases as another user.`);
  const names = wanted === undefined ? defaultAccounts : [wanted];
  for (const name of names) {
    const account = await findAccount(name);
    if (!account) continue;
    if (account.uid === 0) throw new Error(`--run-as ${name}: this is root itself; name an unprivileged account.`);
    return account;
  }
  throw new Error(`--run-as: there is no account ${names.join(' or ')} on this host; make one, or name another.`);
};

/** Directories of the state that no release may see. */
const privateDirectories = ['blobs', 'partial', 'targets', 'journal'] as const;

const unlessMissing = (error: unknown): void => {
  if (systemCode(error) !== 'ENOENT') throw error;
};

/**
 * Lets the account through the state directory to the unpacked releases and to nothing else: it may pass the directory
 * and not list it, and its group may read the releases. They stay the agent's, so that no release can change one.
 * @throws Error when the account cannot come to them, or cannot run this agent's Node
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
