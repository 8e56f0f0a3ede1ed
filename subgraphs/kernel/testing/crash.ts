import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

interface Crash {
  /** The program: it calls `armFromEnvironment(process.env)` first, then does what shall be cut short. */
  readonly program: URL;
  readonly arguments?: readonly string[];
  /** The name of the failpoint at which it must die. */
  readonly failpoint: string;
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** After this long a program is not on its way to the failpoint any more. */
const LOST_MS = 60_000;

/** Output and exit of a process that was killed. */
interface Crashed {
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a program until it is killed at a failpoint, as by a power cut: no handler, no `finally`, no last flush. An open
 * transaction or lease remains for the next process. Throws when the program ends in any other way, with its output.
 */
export const runToFailpoint = async (crash: Crash): Promise<Crashed> => {
  const child = spawn(process.execPath, [fileURLToPath(crash.program), ...(crash.arguments ?? [])], {
    env: { ...process.env, ...crash.env, LANDFALL_FAILPOINT: crash.failpoint },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LOST_MS,
    killSignal: 'SIGTERM',
  });
  const exited = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL')
    throw new Error(
      `The program never reached ${crash.failpoint}; it ended with ${signal ?? code}:\n${output}${errors}`,
    );
  return { output, errors };
};
