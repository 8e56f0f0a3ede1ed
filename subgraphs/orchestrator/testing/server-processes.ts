import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Fault } from '@landfall/kernel/core/fault';
import type { Person } from '@landfall/kernel/testing/callers';
import { codes, type FaultCode } from '@landfall/schema/codes';
import { Parse } from 'typebox/value';
import { type Command, messages, type Serve } from './server-messages.ts';

const program = fileURLToPath(new URL('./server.fixture.ts', import.meta.url));

const isCode = (code: string): code is FaultCode => Object.hasOwn(codes, code);

/** Starts a process of `server.fixture.ts`, which waits for the command to serve. */
export const serverProcess = () => {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let count = 0;
  child.on('message', (raw) => {
    const answer = Parse(messages.answer, raw);
    const waiter = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('value' in answer) waiter?.resolve(answer.value);
    else waiter?.reject(isCode(answer.code) ? new Fault(answer.code, answer.message) : new Error(answer.message));
  });
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error('the server has ended'));
      resolve(signal);
    });
  });

  const send = (command: Command): Promise<unknown> =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject });
      child.send({ id: count, command }, (error) => error && reject(error));
    });

  return {
    /** Resolves with the signal that ended the process. */
    ended: exited,
    serve: (location: Serve) => send({ do: 'serve', ...location }),
    /** Has the process die at the `nth` passing of a failpoint. */
    dieAt: (at: string, nth = 1) => send({ do: 'die', at, nth }),
    /** Blocks callers at the failpoint until `release`. */
    holdAt: (at: string) => send({ do: 'hold', at }),
    release: (at: string) => send({ do: 'release', at }),
    /**
     * Calls an operation in the process.
     * @throws Fault of the operation, or Error when the process ended first
     */
    call: (operation: string, input: unknown, as: Person = 'operator') => send({ do: 'call', operation, as, input }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
