import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Type, { type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { root } from './run-program.ts';

/** Runs a program that prints one line of JSON when it is ready, and runs until its input ends. */
const startProgram = async <T extends TSchema>(line: T, ...program: readonly string[]) => {
  const [path = '', ...rest] = program;
  // No test waits for its start, so it reports no waiting time.
  const { LANDFALL_TEST_TIMES: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, path), ...rest], {
    cwd: root,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  for await (const text of createInterface(child.stdout)) return { ready: Parse(line, JSON.parse(text)), end };
  throw new Error(`${program.join(' ')} did not start; see above.`);
};

const forBrowsers = Type.Object({
  browser: Type.Optional(Type.String()),
  model: Type.String(),
  credentials: Type.Array(Type.String()),
});

/** A browser's address, where one starts here, a model's, and the credentials files of products. */
interface ForBrowsers extends Static<typeof forBrowsers> {
  end(): Promise<void>;
}

/** Starts one browser, one model and products with the demo for the browser tests: `model` has the model answer. */
export const startForBrowsers = async (products: readonly ('demo' | 'model')[]): Promise<ForBrowsers> => {
  const { ready, end } = await startProgram(forBrowsers, 'e2e/shared.ts', ...products);
  return { ...ready, end };
};

const settings = Type.Record(Type.String(), Type.String());
const running = Type.Object({ mode: Type.String(), env: settings, inside: settings });

/** Starts an empty product in each run mode; `settings` is what `sharedProduct` of the gateway's tests opens them by. */
export const startProducts = async (modes: readonly string[]) => {
  const started = await Promise.all(modes.map((mode) => startProgram(running, 'gateway/testing/start.ts', mode)));
  return {
    settings: JSON.stringify(Object.fromEntries(started.map(({ ready }) => [ready.mode, ready]))),
    end: async (): Promise<void> => void (await Promise.all(started.map(({ end }) => end()))),
  };
};
