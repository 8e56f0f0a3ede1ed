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
  /** Each agent keeps its key and its releases below this. */
  readonly directory: string;
  readonly log: Log;
}

/**
 * The agents of the demo, each a process of its own, started again whenever one ends. What they run ends with them, even
 * where an agent was killed and could not end it.
 */
export interface Agents extends AsyncDisposable {
  /** Starts an agent, unless it runs. One without a certificate that still holds is given a token. */
  start(name: string, token: () => Promise<string>): Promise<void>;
}

const PROGRAM = fileURLToPath(import.meta.resolve('@landfall/agent/main'));
const PARENT_WATCH = new URL('./parent-watch.ts', import.meta.url).href;

/** Environment of an agent's process: none of our settings, and no secret. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'NODE_COMPILE_CACHE'] as const;

/** An agent makes little garbage: a small nursery saves it 20 MB (V8's, in MB). */
const NURSERY = '--max-semi-space-size=2';

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Whether an agent's certificate holds; it lasts for 24 hours, and a server may be off for longer. */
const isEnrolled = async (state: string): Promise<boolean> => {
  const text = await readFile(join(state, 'identity.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const { certificate } = Parse(Type.Object({ certificate: Type.String() }), JSON.parse(text));
  return new X509Certificate(certificate).validToDate > new Date();
};

/** Between an agent's end and its next start; doubled for each end that comes soon after. */
const FIRST_RESTART_MS = 500;
const LAST_RESTART_MS = 30_000;
/** An agent that ran for this long has started well, and is started again without delay the next time. */
const SOUND_MS = 60_000;

/** One start of an agent. */
interface Life {
  /** Resolves when it has ended, with how long it lived, in milliseconds. */
  readonly ended: Promise<number>;
}

/** Waits out `ms`, less when the signal says so. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined);

export const createAgents = ({ agentUrl, directory, log }: AgentsOptions): Agents => {
  const children = new Set<ChildProcess>();
  const keepers = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const { signal } = closing;

  const launch = async (name: string, state: string, token: string | undefined): Promise<ChildProcess> => {
    await mkdir(state, { recursive: true, mode: 0o700 });
    const output = await open(join(directory, `${name}.log`), 'a', 0o600);
    try {
      const child = spawn(
        process.execPath,
        [
          NURSERY,
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
          // A group of its own: what a terminal sends to all of its processes would come beside the leash's signal, and
          // the second signal ends an agent before it has stopped what it runs.
          detached: true,
          stdio: ['pipe', output.fd, output.fd],
          // The story deploys its own images only, and other accounts may not come into the checkout that it lies in.
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
    const ended = once(child, 'exit').then(([code, by]) => {
      children.delete(child);
      if (!signal.aborted) log.warn({ agent: name, code, signal: by }, 'an agent of the demo ended');
      return performance.now() - startedAt;
    });
    // Whoever began to stop us meanwhile has not seen this one.
    if (signal.aborted) child.stdin?.end();
    return { ended };
  };

  const runAgain = (name: string, token: () => Promise<string>): Promise<Life> =>
    run(name, token).catch((error: unknown) => {
      log.warn({ agent: name, err: error }, 'an agent of the demo does not start');
      return { ended: Promise.resolve(0) };
    });

  /** Starts an agent again whenever it has ended, until we stop. */
  const keep = async (name: string, token: () => Promise<string>, first: Life): Promise<void> => {
    let { ended } = first;
    for (let failures = 0; ; failures += 1) {
      if ((await ended) >= SOUND_MS) failures = 0;
      await wait(Math.min(FIRST_RESTART_MS * 2 ** failures, LAST_RESTART_MS), signal);
      if (signal.aborted) return;
      ({ ended } = await runAgain(name, token));
    }
  };

  return {
    async start(name, token) {
      if (keepers.has(name)) return;
      keepers.set(name, keep(name, token, await run(name, token)));
    },

    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const child of children) child.stdin?.end();
      await Promise.all(keepers.values());
      // An agent that was killed has stopped nothing of what it ran.
      for (const name of keepers.keys()) await killOrphans(join(directory, name));
    },
  };
};
