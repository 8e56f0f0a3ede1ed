import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runVariable } from '@landfall/agent/driver/process-driver';
import { findMarked, signal } from '@landfall/agent/driver/process-reference';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';

const program = fileURLToPath(new URL('../../agent/main.ts', import.meta.url));

export interface AgentStart {
  readonly server: string;
  readonly token?: string;
  readonly failpoint?: string;
  /** Environment variables: settings of the agent, and secrets of its host. */
  readonly env?: Readonly<Record<string, string>>;
  /** Program to start instead of the agent, with the same arguments. */
  readonly program?: string;
}

/** Registered agent's process. */
interface AgentProcess {
  readonly id: string;
  readonly child: ChildProcess;
  /** Resolves with the signal that ended the process. */
  readonly ended: Promise<NodeJS.Signals | null>;
}

const startedAs = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += String(chunk);
      const [, id] = /"event":"agent.started","agentId":"([0-9a-f-]{36})"/.exec(text) ?? [];
      if (id !== undefined) resolve(id);
    });
    child.once('close', () => reject(new Error(`the agent ended: ${text}`)));
  });

/**
 * Starts agents as separate programs, each with its own directory. They and their child processes end with the test.
 */
export const agentProcesses = async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'landfall-agents-')));
  const children = new Set<ChildProcess>();
  const names = new Set<string>();
  const logs = new Map<string, string>();

  const runsOf = async (name: string) => {
    const instance = await readFile(join(directory, name, 'instance'), 'utf8').catch(() => undefined);
    if (instance === undefined) return [];
    return (await findMarked(runVariable)).filter(({ value }) => value.startsWith(`${instance}/`));
  };

  return {
    /**
     * Starts an agent and waits until it has registered.
     * @throws Error with the agent's output when it exits instead
     */
    async start(name: string, { server, token, failpoint, env, program: other }: AgentStart): Promise<AgentProcess> {
      names.add(name);
      const child = spawn(
        process.execPath,
        [other ?? program, '--server', server, '--state', join(directory, name), '--name', name],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
          env: {
            // The directory belongs to the test alone; no other account enters it.
            LANDFALL_AGENT_RUN_AS: 'self',
            ...env,
            ...minimalEnvironment(),
            ...(token !== undefined && { LANDFALL_AGENT_TOKEN: token }),
            ...(failpoint !== undefined && { LANDFALL_FAILPOINT: failpoint }),
          },
        },
      );
      children.add(child);
      child.stderr.on('data', (chunk) => {
        logs.set(name, `${logs.get(name) ?? ''}${String(chunk)}`);
      });
      const exited = new Promise<NodeJS.Signals | null>((resolve) => {
        child.once('exit', (_code, by) => {
          children.delete(child);
          resolve(by);
        });
      });
      return { id: await startedAs(child), child, ended: exited };
    },

    stateOf: (name: string): string => join(directory, name),

    log: (name: string): string => logs.get(name) ?? '',

    /** Lists the open tasks in an agent's journal as `task.fence`. */
    async journal(name: string): Promise<string[]> {
      const files = await readdir(join(directory, name, 'journal')).catch(() => []);
      return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
    },

    async kill({ child, ended: exited }: AgentProcess): Promise<void> {
      child.kill('SIGKILL');
      await exited;
    },

    /** Lists the live processes that an agent runs on a target. */
    async processes(name: string, target: string): Promise<number[]> {
      return (await runsOf(name)).filter(({ value }) => value.includes(`/${target}/`)).map(({ pid }) => pid);
    },

    /** Lists the versions that started on a target, one for each start, in order, as the component recorded them. */
    async starts(name: string, target: string): Promise<string[]> {
      const dataDirectory = join(directory, name, 'targets', target);
      const logs = (await readdir(dataDirectory).catch(() => [])).filter((file) => /^web\.\d+\.log$/.test(file));
      const inOrder = logs.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      const text = (await Promise.all(inOrder.map((file) => readFile(join(dataDirectory, file), 'utf8')))).join('');
      return [...text.matchAll(/^version (\S+) on port/gm)].map(([, version = '']) => version);
    },

    async [Symbol.asyncDispose]() {
      const ends = [...children].map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ends);
      for (const name of names) for (const { pid } of await runsOf(name)) signal(pid, 'SIGKILL', 'process');
      await rm(directory, { recursive: true, force: true });
    },
  };
};

export const served = async (port: number, path = '/'): Promise<string | undefined> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  );
  return answer?.text();
};
