import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPollingLoop } from './polling-loop.ts';

const never = (): never => assert.fail('no turn fails here');
const HOUR_MS = 3_600_000;

const source = () => {
  const listeners = new Set<() => void>();
  return {
    hint: () => listeners.forEach((listener) => void listener()),
    hints: {
      listen(listener: () => void) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
    listeners,
  };
};

/** Resolves at the nth turn. */
const counted = (more: (turn: number) => boolean = () => false) => {
  let rounds = 0;
  const waiting = new Map<number, () => void>();
  return {
    turns: () => rounds,
    reach: (nth: number) => new Promise<void>((resolve) => (rounds >= nth ? resolve() : waiting.set(nth, resolve))),
    turn: async () => {
      rounds += 1;
      waiting.get(rounds)?.();
      return more(rounds);
    },
  };
};

test('turns follow each other while there is more to do, and then a hint starts the next', async () => {
  const { hint, hints, listeners } = source();
  const { turn, turns: rounds, reach } = counted((nth) => nth < 3);
  const loop = startPollingLoop({ pollMs: HOUR_MS, hints, turn, onError: never });
  await reach(3);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(rounds(), 3);
  hint();
  await reach(4);
  await loop[Symbol.asyncDispose]();
  assert.equal(listeners.size, 0);
});

test('a hint that comes during a turn is not lost', async () => {
  const { hint, hints } = source();
  const { turn, turns: rounds, reach } = counted();
  await using _loop = startPollingLoop({
    pollMs: HOUR_MS,
    hints,
    onError: never,
    turn: () => {
      if (rounds() === 0) hint();
      return turn();
    },
  });
  await reach(2);
});

test('a poll comes without any hint', async () => {
  const { turn, reach } = counted();
  await using _loop = startPollingLoop({ pollMs: 1, turn, onError: never });
  await reach(3);
});

test('failures are counted, start over after a success, and end no loop', async () => {
  const values: number[] = [];
  const finished = Promise.withResolvers<void>();
  let rounds = 0;
  await using _loop = startPollingLoop({
    pollMs: 1,
    longestPauseMs: 2,
    turn: async () => {
      rounds += 1;
      if (rounds === 5) finished.resolve();
      if (rounds !== 3) throw new Error('no');
      return true;
    },
    onError: (_error, failures) => values.push(failures),
  });
  await finished.promise;
  assert.deepEqual(values.slice(0, 3), [1, 2, 1]);
});

test('dispose waits for the turn under way, whose signal is aborted', async () => {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isAborted = false;
  const loop = startPollingLoop({
    pollMs: 1,
    onError: never,
    turn: async (signal) => {
      started.resolve();
      await gate.promise;
      isAborted = signal.aborted;
      return true;
    },
  });
  await started.promise;
  const disposed = loop[Symbol.asyncDispose]();
  gate.resolve();
  await disposed;
  assert.equal(isAborted, true);
});
