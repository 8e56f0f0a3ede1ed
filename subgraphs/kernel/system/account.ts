import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Account of the operating system under which root can run a process. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export const POSTGRES_ACCOUNT = 'landfall';
/** Account of PostgreSQL where none can be created; other programs may run as it, too. */
export const SHARED_ACCOUNT = 'nobody';
/** Every account that root may run PostgreSQL as. */
export const POSTGRES_ACCOUNTS = [POSTGRES_ACCOUNT, SHARED_ACCOUNT] as const;

export const isRoot = (): boolean => process.getuid?.() === 0;

const idOf = (flag: '-u' | '-g', name: string): Promise<number | undefined> =>
  run('id', [flag, name]).then(
    ({ stdout }) => Number(stdout),
    () => undefined,
  );

/** Finds the account of this name; undefined where this machine has none. */
export const findAccount = async (name: string): Promise<Account | undefined> => {
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
  return uid === undefined || gid === undefined ? undefined : { name, uid, gid };
};
