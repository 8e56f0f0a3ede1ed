import { detached } from '../core/connection-use.ts';

type Action = () => void | Promise<void>;

const armed = new Map<string, Action>();

/** Names of failpoints that were reached, so that a fault test can list the others. */
export const passed = new Set<string>();

/** Marks a point of the code where fault tests can inject a crash; does nothing otherwise. */
export const failpoint = async (name: string): Promise<void> => {
  passed.add(name);
  const action = armed.get(name);
  // The action acts for another caller, so it runs outside of this caller's hold of a connection.
  if (action) await detached(async () => action());
};

/** For tests only: runs `action` (throw, hold, exit) at the named failpoint until it is disarmed. */
export const arm = (name: string, action: Action): Disposable => {
  armed.set(name, action);
  return { [Symbol.dispose]: () => void armed.delete(name) };
};

/** Arms the failpoint that `LANDFALL_FAILPOINT` names: it kills the process, as a power cut would. */
export const armFromEnvironment = (env: Readonly<Record<string, string | undefined>>): void => {
  const name = env.LANDFALL_FAILPOINT;
  if (name) armed.set(name, () => void process.kill(process.pid, 'SIGKILL'));
};
