import { spawn } from 'node:child_process';
import { lstat, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Release, Releases } from '../oci/releases.ts';
import { command } from './command.ts';
import { type Driver, type Start, unpacked } from './driver.ts';
import {
  commandOf,
  environmentOf,
  readUnpackedRelease,
  runVariable,
  startFailed,
  stopProcess,
  truncateReason,
} from './process-driver.ts';
import { isAlive, type ProcessRef, processReferenceOf, replacedTree, signal } from './process-reference.ts';

const checkMs = 10_000;
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const argumentsFd = 3;
const infoFd = 4;

/** Options of bubblewrap: own namespaces and no capability, but the host's network, so that the router reaches it. */
const walls = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--cap-drop', 'ALL'] as const;
const mounts = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'] as const;

/** Creates the mount points, which must lie inside the image. */
const prepareMounts = async (root: string): Promise<void> => {
  for (const name of ['proc', 'dev', 'tmp']) {
    const existing = await lstat(join(root, name)).catch(() => undefined);
    if (!existing) await mkdir(join(root, name));
    else if (!existing.isDirectory()) throw startFailed(`/${name} of the image is no directory`);
  }
};

const optionsOf = (release: Release, start: Start): readonly string[] => [
  ...['--ro-bind', release.root, '/'],
  ...mounts,
  ...walls,
  ...['--chdir', release.config.config?.WorkingDir || '/'],
  '--clearenv',
  ...Object.entries({ PATH: defaultPath, HOME: '/', ...environmentOf(release, start) }).flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ]),
];

const childPid = (info: string): number | undefined => {
  const found = /"child-pid":\s*(\d+)/.exec(info)?.[1];
  return found === undefined ? undefined : Number(found);
};

const exited = (child: ReturnType<typeof spawn>): Promise<string> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.stdio[infoFd] instanceof Readable ? text(child.stdio[infoFd]) : ''));
  });

/** Starts the sandbox and returns its first process; a pipe passes the environment, as all users can read arguments. */
const spawned = async (release: Release, start: Start): Promise<ProcessRef> => {
  const log = await open(start.logFile, 'a', 0o600);
  try {
    const args = ['--args', String(argumentsFd), '--info-fd', String(infoFd), '--', ...commandOf(release)];
    const child = spawn('bwrap', args, {
      cwd: '/',
      env: { PATH: process.env.PATH, [runVariable]: start.run },
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'pipe', 'pipe'],
    });
    const options = child.stdio[argumentsFd];
    if (options instanceof Writable) {
      options.on('error', () => undefined);
      options.end(
        optionsOf(release, start)
          .map((option) => `${option}\0`)
          .join(''),
      );
    }
    const pid = childPid(await exited(child));
    child.unref();
    if (pid === undefined) throw startFailed(`bwrap: ${(await readFile(start.logFile, 'utf8')).trim()}`);
    return await processReferenceOf(pid);
  } finally {
    await log.close();
  }
};

/** Lists the processes started by a sandbox's first one, which ignores every signal except SIGKILL. */
const childrenOf = async ({ pid }: ProcessRef): Promise<readonly number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''))
    .split(' ')
    .filter((name) => name !== '')
    .map(Number);

const kill =
  (ref: ProcessRef) =>
  async (name: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const pids = name === 'SIGKILL' ? [ref.pid] : await childrenOf(ref);
    for (const pid of pids) signal(pid, name, 'process');
  };

/**
 * Creates the driver that runs a release under bubblewrap, with the image's tree as the whole, read-only file system.
 */
const createSandboxDriver = (releases: Releases, version: string): Driver => ({
  ...unpacked(releases),
  name: 'sandbox',
  version,
  isRouted: true,

  async start(start) {
    const release = await readUnpackedRelease(releases, start);
    commandOf(release);
    await prepareMounts(release.root);
    return spawned(release, start);
  },

  isAlive: async ({ running: { process: ref } }) => ref !== null && isAlive(ref),

  async stop({ running: { process: ref } }, timeoutMs) {
    if (ref) await stopProcess(ref, timeoutMs, kill(ref));
  },

  async observe({ running: { process: ref } }) {
    if (!ref) return { digest: null, reason: 'it has no process' };
    // The root is the release's directory itself, bound, so its inode identifies the release whatever its path is.
    const root = await releases.identifyRoot(`/proc/${ref.pid}/root`);
    if (!(await isAlive(ref))) return { digest: null, reason: 'the process is gone' };
    return truncateReason(root ?? { digest: null, reason: replacedTree });
  },
});

/** Creates the sandbox driver if bubblewrap is installed and works on this host. */
export const findSandbox = async (releases: Releases): Promise<Driver | undefined> => {
  if (process.platform !== 'linux') return undefined;
  try {
    await command('bwrap', ['--ro-bind', '/', '/', ...mounts, ...walls, '--', 'true'], { timeoutMs: checkMs });
    const output = await command('bwrap', ['--version'], { timeoutMs: checkMs });
    return createSandboxDriver(releases, output.replace('bubblewrap', '').trim().slice(0, 64));
  } catch {
    return undefined;
  }
};
