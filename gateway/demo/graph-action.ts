import { setTimeout as pause } from 'node:timers/promises';
import Type, { type Static, type TObject } from 'typebox';
import { Parse } from 'typebox/value';
import type { GraphSession } from './browser.ts';

/** A step of the story takes seconds; past this something is wrong, and the story says so. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/** One mutation of the graph by one person. */
interface GraphAction {
  readonly mutation: string;
  /** Name of the action within the story: a repeated run receives the first answer. */
  readonly key: string;
  readonly input: object;
}

const asked = (shape: TObject): string => Object.keys(shape.properties).join(' ');

/** Does it, and answers with the fields that `shape` names. */
export const runAction = async <T extends TObject>(
  door: GraphSession,
  deed: GraphAction,
  shape: T,
): Promise<Static<T>> => {
  const { mutation, key, input } = deed;
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const { it } = await door.ask(
    `mutation ($input: ${type}!) { it: ${mutation}(input: $input) { ${asked(shape)} } }`,
    { input: { idempotencyKey: `demo/${mutation}/${key}`, ...input } },
    Type.Object({ it: Type.Unknown() }),
  );
  return Parse(shape, it);
};

/** Looks until something is seen. @throws Error that says what was waited for */
export const until = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() >= end) throw new Error(`${what}: nothing after ${PATIENCE_MS / 1_000} s.`);
    await pause(LOOK_MS);
  }
};
