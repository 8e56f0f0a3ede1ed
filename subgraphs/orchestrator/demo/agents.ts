import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killOrphans } from '@landfall/agent/orphan-processes';
import type { Log } from '@landfall/kernel/system/log';
import Type from 'typebox';
import { Parse } from 'typebox/value';

interface AgentsOptions {
  readonly agentUrl: string;
  /** Parent of the directories in which the agents keep their keys and releases. */
  readonly directory: string;
  readonly log: Log;
}

/** Agents of the demo, each in its own process, which is restarted when it exits. */
export interface Agents extends AsyncDisposable {
  /** Starts an agent unless it runs. An agent without a valid certificate gets a registration token. */
  start(name: string, token: () => Promise<string>): Promise<void>;
}

const PROGRAM = fileURLToPath(import.meta.resolve('@landfall/agent/main'));
const PARENT_WATCH = new URL('./parent-watch.ts', import.meta.url).href;

/** Environment variables passed on to an agent's process: no settings of the server, and no secret. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'NODE_COMPILE_CACHE'] as const;

/** V8 option for a small young generation, in MB: an agent allocates little, so this saves 20 MB of memory. */
const SEMI_SPACE_FLAG = '--max-semi-space-size=2';

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Checks whether an agent's certificate is still valid; it lasts 24 hours, and a demo may be stopped for longer. */
const isEnrolled = async (state: string): Promise<boolean> => {
  const text = await readFile(join(state, 'identity.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const { certificate } = Parse(Type.Object({ certificate: Type.String() }), JSON.parse(text));
  return new X509Certificate(certificate).validToDate > new Date();
};

/** Delay before an agent's first restart, in milliseconds; doubled after each exit that follows soon. */
const FIRST_RESTART_MS = 500;
const LAST_RESTART_MS = 30_000;
/** Running time after which the restart delay is reset, in milliseconds. */
const SOUND_MS = 60_000;

/** One run of an agent's process. */
interface Life {
  /** Resolves with the running time in milliseconds when the process has exited. */
  readonly ended: Promise<number>;
}

/** Waits for `ms` milliseconds or until the signal aborts. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined);

export const createAgents = ({ agentUrl, directory, log }: AgentsOptions): Agents => {
  const children = new Set<ChildProcess>();
  const supervisors = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const { signal } = closing;

  const launch = async (name: string, state: string, token: string | undefined): Promise<ChildProcess> => {
    await mkdir(state, { recursive: true, mode: 0o700 });
    const output = await open(join(directory, `${name}.log`), 'a', 0o600);
    try {
      const child = spawn(
        process.execPath,
        [
          SEMI_SPACE_FLAG,
          '--import',
          PARENT_WATCH,
          PROGRAM,
          '--server',
          agentUrl,
          '--state',
          state,
          '--name',
          name,
          '--stop-on-exit',
        ],
        {
          // A group of its own: a terminal signals all processes of its group, and with the parent's signal that would
          // be a second one, which ends an agent before it has stopped its processes.
          detached: true,
          stdio: ['pipe', output.fd, output.fd],
          // The demo deploys its own images only, and other accounts may not enter the checkout with its directory.
          env: {
            ...inherited(),
            LANDFALL_AGENT_RUN_AS: 'self',
            ...(token !== undefined && { LANDFALL_AGENT_TOKEN: token }),
          },
        },
      );
      await once(child, 'spawn');
      return child;
    } finally {
      await output.close();
    }
  };

  const run = async (name: string, token: () => Promise<string>): Promise<Life> => {
    const state = join(directory, name);
    const startedAt = performance.now();
    const child = await launch(name, state, (await isEnrolled(state)) ? undefined : await token());
    children.add(child);
    const exited = once(child, 'exit').then(([code, by]) => {
      children.delete(child);
      if (!signal.aborted) log.warn({ agent: name, code, signal: by }, 'an agent of the demo ended');
      return performance.now() - startedAt;
    });
    // A stop that began meanwhile did not include this agent.
    if (signal.aborted) child.stdin?.end();
    return { ended: exited };
  };

  const runAgain = (name: string, token: () => Promise<string>): Promise<Life> =>
    run(name, token).catch((error: unknown) => {
      log.warn({ agent: name, err: error }, 'an agent of the demo does not start');
      return { ended: Promise.resolve(0) };
    });

  /** Restarts an agent whenever its process exits, until the demo stops. */
  const keep = async (name: string, token: () => Promise<string>, first: Life): Promise<void> => {
    let { ended: completed } = first;
    for (let failures = 0; ; failures += 1) {
      if ((await completed) >= SOUND_MS) failures = 0;
      await wait(Math.min(FIRST_RESTART_MS * 2 ** failures, LAST_RESTART_MS), signal);
      if (signal.aborted) return;
      ({ ended: completed } = await runAgain(name, token));
    }
  };

  return {
    async start(name, token) {
      if (supervisors.has(name)) return;
      supervisors.set(name, keep(name, token, await run(name, token)));
    },

    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const child of children) child.stdin?.end();
      await Promise.all(supervisors.values());
      // An agent that was killed has not stopped its processes.
      for (const name of supervisors.keys()) await killOrphans(join(directory, name));
    },
  };
};
