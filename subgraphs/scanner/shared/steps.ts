import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long computation in steps. At each `yield`, other work of the process may have its turn of the event loop. */
export type Steps<Value> = Generator<void, Value, void>;

/** Elements of one step: the longest stretch of a large scan stays in the order of ten milliseconds. */
export const STEP = 200;

/** Runs a computation without a pause. */
export const runAtOnce = <Value>(steps: Steps<Value>): Value => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Runs a computation with other work between its steps; the result is that of `runAtOnce`. */
export const runInTurns = async <Value>(steps: Steps<Value>): Promise<Value> => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
};

/** Values in order, with a step after every `STEP` of them. */
export function* inSteps<T>(values: Iterable<T>, visit: (value: T, at: number) => void): Steps<void> {
  let at = 0;
  for (const value of values) {
    if (at > 0 && at % STEP === 0) yield;
    visit(value, at);
    at += 1;
  }
}

/** Maps values in order, a slice of them in each step. */
export function* mapInSteps<T, Mapped>(values: Iterable<T>, map: (value: T, at: number) => Mapped): Steps<Mapped[]> {
  const mapped: Mapped[] = [];
  yield* inSteps(values, (value, at) => void mapped.push(map(value, at)));
  return mapped;
}
