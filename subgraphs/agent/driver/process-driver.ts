import { spawn } from 'node:child_process';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '@landfall/kernel/system/account';
import type { Identity, Release, Releases } from '../oci/releases.ts';
import { failure } from '../protocol/failure.ts';
import { MAX_REASON } from '../protocol/limits.ts';
import { type Driver, type Start, unpacked } from './driver.ts';
import { directoryOf, isAlive, type ProcessRef, processReferenceOf, signal } from './process-reference.ts';

/** Environment variable that marks every process started by this agent, to find processes that no record names. */
export const runVariable = 'LANDFALL_RUN';

export const startFailed = (raw: string, cause?: unknown) => failure('AGT_TASK_FAILED', 'start-failed', raw, cause);

/** Resolves a path of an image on this host, following links. Raises AGT_TASK_FAILED if it is not in the image. */
const within = async (root: string, path: string): Promise<string> => {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && (real === root || real.startsWith(root + sep))) return real;
  throw startFailed(`not in the image: ${path.slice(root.length) || '/'}`);
};

/**
 * Finds the program of an image: a path in its tree, a bare name by this agent's PATH, and `node` as the agent's own.
 */
const programOf = async (command: string, root: string, directory: string): Promise<string> => {
  if (command === 'node') return process.execPath;
  if (!command.includes('/')) return command;
  return within(root, command.startsWith('/') ? join(root, command) : join(directory, command));
};

const inherited = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

const inheritedEnv = (): Record<string, string> =>
  Object.fromEntries(
    inherited.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Environment of a release: the image's, overridden by the task's, with the variables that the agent sets. */
export const environmentOf = ({ config }: Release, { env, port, run }: Start): Record<string, string> => {
  const image = (config.config?.Env ?? []).map((line) => {
    const at = line.indexOf('=');
    return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
  });
  return { ...Object.fromEntries(image), ...env, PORT: String(port), [runVariable]: run };
};

/** Returns the image's Entrypoint and Cmd together. Raises AGT_TASK_FAILED (`start-failed`) if there is neither. */
export const commandOf = ({ config }: Release): readonly [string, ...string[]] => {
  const [command, ...args] = [...(config.config?.Entrypoint ?? []), ...(config.config?.Cmd ?? [])];
  if (command === undefined) throw startFailed('the image has neither Entrypoint nor Cmd');
  return [command, ...args];
};

/** Reads the unpacked release of a start. */
export const readUnpackedRelease = async (releases: Pick<Releases, 'read'>, { digest }: Start): Promise<Release> => {
  const release = await releases.read(digest);
  if (!release) throw startFailed(`${digest} is not on this host`);
  return release;
};

type Program = Readonly<{
  file: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  account: Account | undefined;
}>;

const spawned = async ({ file, args, directory, env, account }: Program, logFile: string): Promise<number> => {
  const log = await open(logFile, 'a', 0o600);
  try {
    // A program may open its output anew (/dev/stdout), which asks for the file's own permission.
    if (account) await log.chown(account.uid, account.gid);
    // Its own process group, so that a signal reaches what it starts; its own log, so that it outlives this agent.
    const child = spawn(file, args, {
      cwd: directory,
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      // With a user of its own it also has none of the agent's groups.
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    if (child.pid === undefined) throw new TypeError('a spawned process has a pid');
    return child.pid;
  } catch (error) {
    throw startFailed(`${basename(file)}: ${error instanceof Error ? error.message : String(error)}`, error);
  } finally {
    await log.close();
  }
};

const waitForExit = async (ref: ProcessRef, timeoutMs: number): Promise<boolean> => {
  const end = performance.now() + timeoutMs;
  for (let pauseMs = 2; await isAlive(ref); pauseMs = Math.min(pauseMs * 2, 100)) {
    if (performance.now() >= end) return false;
    await sleep(pauseMs);
  }
  return true;
};

export const stopProcess = async (
  ref: ProcessRef,
  timeoutMs: number,
  kill: (name: 'SIGTERM' | 'SIGKILL') => unknown,
): Promise<void> => {
  if (!(await isAlive(ref))) return;
  await kill('SIGTERM');
  if (await waitForExit(ref, timeoutMs)) return;
  await kill('SIGKILL');
  await waitForExit(ref, 5_000);
};

/** Shortens the reason to the limit of a report, since paths may be longer. */
export const truncateReason = ({ digest, reason }: Identity): Identity => ({
  digest,
  reason: reason?.slice(0, MAX_REASON) ?? null,
});

/** Creates the driver that runs an image's command in the release's tree, as `account` or as the agent itself. */
export const createProcessDriver = (releases: Releases, account?: Account): Driver => ({
  ...unpacked(releases),
  name: 'process',
  version: process.version,
  isRouted: true,

  async start(start) {
    const release = await readUnpackedRelease(releases, start);
    const [command, ...args] = commandOf(release);
    const root = await realpath(release.root);
    const workingDir = release.config.config?.WorkingDir ?? '/';
    const directory = await within(root, join(root, workingDir));
    if (!(await stat(directory)).isDirectory()) throw startFailed(`WorkingDir is no directory: ${workingDir}`);
    const file = await programOf(command, root, directory);
    // The agent's home is not another account's.
    const env = { ...inheritedEnv(), ...(account && { HOME: '/' }), ...environmentOf(release, start) };
    return processReferenceOf(await spawned({ file, args, directory, env, account }, start.logFile));
  },

  isAlive: async ({ running: { process: ref } }) => ref !== null && isAlive(ref),

  async stop({ running: { process: ref } }, timeoutMs) {
    if (ref) await stopProcess(ref, timeoutMs, (name) => signal(ref.pid, name, 'group'));
  },

  async observe({ running: { process: ref } }) {
    if (!ref) return { digest: null, reason: 'it has no process' };
    const directory = await directoryOf(ref);
    return truncateReason(
      'path' in directory ? await releases.identifyPath(directory.path) : { digest: null, ...directory },
    );
  },
});
