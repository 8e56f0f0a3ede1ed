import { setTimeout as pause } from 'node:timers/promises';
import Type, { type Static, type TObject } from 'typebox';
import { Parse } from 'typebox/value';
import type { GraphSession } from './chapter.ts';

/** Time limit of a step in milliseconds. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 100;

/** One mutation of the graph by one person. */
interface GraphAction {
  readonly mutation: string;
  /** Name of the action within the demo: a repeated run receives the first answer. */
  readonly key: string;
  readonly input: object;
}

/** Runs the mutation and returns the fields that `shape` names. */
export const runAction = async <T extends TObject>(
  session: GraphSession,
  { mutation, key, input }: GraphAction,
  shape: T,
): Promise<Static<T>> => {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const fields = Object.keys(shape.properties).join(' ');
  const { result } = await session.ask(
    `mutation ($input: ${type}!) { result: ${mutation}(input: $input) { ${fields} } }`,
    { input: { idempotencyKey: `demo/${mutation}/${key}`, ...input } },
    Type.Object({ result: Type.Unknown() }),
  );
  return Parse(shape, result);
};

/** Polls `ask` until it returns a value. Throws an Error that names `name` after the time limit. */
export const until = async <T>(name: string, ask: () => Promise<T | undefined>): Promise<T> => {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() >= end) throw new Error(`${name}: nothing after ${TIMEOUT_MS / 1_000} s.`);
    await pause(INTERVAL_MS);
  }
};
