import { detached } from '../core/connection-use.ts';

type Action = () => void | Promise<void>;

const armed = new Map<string, Action>();

/** Names of passed failpoints, so that a fault test can list the others. */
export const passed = new Set<string>();

/** Marks a place where fault tests can inject a crash; does nothing otherwise. */
export const failpoint = async (name: string): Promise<void> => {
  passed.add(name);
  const action = armed.get(name);
  // An armed action plays another caller's part, so it holds nothing of this one's.
  if (action) await detached(async () => action());
};

/** Tests only: runs `action` (throw, hold, exit) at the named place until it is disarmed. */
export const arm = (name: string, action: Action): Disposable => {
  armed.set(name, action);
  return { [Symbol.dispose]: () => void armed.delete(name) };
};

/** Arms the failpoint that `LANDFALL_FAILPOINT` names: it kills the process, as a power cut would. */
export const armFromEnvironment = (env: Readonly<Record<string, string | undefined>>): void => {
  const name = env.LANDFALL_FAILPOINT;
  if (name) armed.set(name, () => void process.kill(process.pid, 'SIGKILL'));
};
